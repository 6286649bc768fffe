import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/vitest-count-reporter.ts';

/** The contract suite on the cluster that KUBECONFIG names. */
export default defineConfig({
  test: {
    include: ['e2e/*.test.ts'],
    testTimeout: 100_000,
    hookTimeout: 90_000,
    pool: 'forks',
    maxWorkers: 6,
    reporters: ['default', new CountReporter()],
  },
});
