import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/vitest-count-reporter.ts';

/** The package as users get it: slow, since npm packs and installs it. */
export default defineConfig({
  test: {
    include: ['test/package/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: ['default', new CountReporter()],
  },
});
