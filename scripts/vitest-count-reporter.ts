import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Ends a test run with `N passed, N failed` alone on the last line: CI reads it. */
export class CountReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const line = countLine(modules, unhandledErrors.length);
    // Other reporters write their own summary at this very moment; ours has to be the last.
    this.#vitest?.onClose(() => {
      process.stdout.write(`${line}\n`);
    });
  }
}

function countLine(modules: readonly TestModule[], unhandledErrors: number): string {
  const counts = { passed: 0, failed: unhandledErrors, skipped: 0, pending: 0 };
  for (const module of modules) {
    const states = [...module.children.allTests()].map((test) => test.result().state);
    for (const state of states) counts[state] += 1;
    // A file that could not even be loaded has no test to blame.
    if (!module.ok() && !states.includes('failed')) counts.failed += 1;
  }
  counts.failed += counts.pending; // never ran to its end
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}
