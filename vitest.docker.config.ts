import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/vitest-count-reporter.ts';

/** The contract suite on container engines that it starts itself. */
export default defineConfig({
  test: {
    include: ['e2e/docker/*.test.ts'],
    testTimeout: 100_000,
    hookTimeout: 90_000,
    pool: 'forks',
    maxWorkers: 4,
    reporters: ['default', new CountReporter()],
  },
});
