import { type Findings, isWell, judge } from './judge.ts';
import type { ObservedRun } from './observed-run.ts';

/** The sum of a storm. */
export class Tally {
  readonly #faults = new Map<string, number>();
  readonly #statuses = new Map<string, number>();
  #runs = 0;
  #falseVerdicts = 0;
  #stepsRunTwice = 0;
  #lostBytes = 0;
  #leftovers = 0;

  /** What was wrong with it, or null. */
  add(run: ObservedRun): Findings | null {
    const findings = judge(run);
    this.#runs++;
    this.#falseVerdicts += findings.falseVerdicts.length;
    this.#stepsRunTwice += findings.stepsRunTwice.length;
    this.#lostBytes += findings.lostBytes;
    this.#leftovers += findings.leftovers.length;
    for (const [name, times] of run.faults) add(this.#faults, name, times);
    add(this.#statuses, run.result.reason?.code ?? run.result.status, 1);
    return isWell(findings) ? null : findings;
  }

  get faults(): number {
    return [...this.#faults.values()].reduce((sum, times) => sum + times, 0);
  }

  get isWell(): boolean {
    return this.#falseVerdicts + this.#stepsRunTwice + this.#lostBytes + this.#leftovers === 0;
  }

  get text(): string {
    const listed = (map: ReadonlyMap<string, number>): string =>
      [...map]
        .sort()
        .map(([name, times]) => `  ${String(times).padStart(5)}  ${name}\n`)
        .join('');
    return `runs: ${this.#runs}
${listed(this.#statuses)}faults injected: ${this.faults}
${listed(this.#faults)}false verdicts: ${this.#falseVerdicts}
steps run twice: ${this.#stepsRunTwice}
log bytes lost: ${this.#lostBytes}
objects left: ${this.#leftovers}
`;
  }
}

function add(map: Map<string, number>, name: string, times: number): void {
  map.set(name, (map.get(name) ?? 0) + times);
}
