import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/vitest-count-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', new CountReporter()],
  },
});
