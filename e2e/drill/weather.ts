import { setTimeout as delay } from 'node:timers/promises';
import type { Faults } from '../relay/faults.ts';
import type { Fault, PlannedFault } from './fault-choices.ts';

/** Lets the planned faults of one run loose, each at its moment. */
export class Weather implements AsyncDisposable {
  readonly #relay: Faults;
  readonly #strike: (how: string) => Promise<boolean>;
  readonly #faults: readonly PlannedFault[];
  readonly #trace: (message: string) => void;
  readonly #over = new AbortController();
  readonly #pending: Promise<void>[] = [];
  #lightning = false;
  /** How often the place was struck, by fault. */
  readonly struck = new Map<string, number>();

  constructor(
    relay: Faults,
    strike: (how: string) => Promise<boolean>,
    faults: readonly PlannedFault[],
    trace: (message: string) => void,
  ) {
    this.#trace = trace;
    this.#relay = relay;
    this.#strike = strike;
    this.#faults = faults;
    this.#begin('run');
  }

  stepBegins(index: number): void {
    this.#begin(index);
  }

  /** Whether something happened that no run can survive. */
  get lightning(): boolean {
    return this.#lightning;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#pending);
    this.#relay.clear();
    this.#relay.up();
  }

  #begin(from: PlannedFault['from']): void {
    for (const planned of this.#faults) {
      if (planned.from !== from) continue;
      if (planned.ms === 0 && planned.fault.do === 'rule') this.#relay.add(planned.fault.rule);
      else this.#pending.push(this.#later(planned));
    }
  }

  async #later({ ms, fault }: PlannedFault): Promise<void> {
    const { signal } = this.#over;
    try {
      await delay(ms, undefined, { signal });
      await this.#loose(fault, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #loose(fault: Fault, signal: AbortSignal): Promise<void> {
    this.#trace(`weather: ${JSON.stringify(fault)}`);
    if (fault.do === 'strike') {
      if (!(await this.#strike(fault.how))) return;
      this.#lightning = true;
      this.struck.set(fault.how, (this.struck.get(fault.how) ?? 0) + 1);
    }
    if (fault.do === 'rule') this.#relay.add(fault.rule);
    if (fault.do === 'cut') this.#relay.cut(fault.how, ...fault.kinds);
    if (fault.do === 'stall') this.#relay.stall(...fault.kinds);
    if (fault.do === 'away') {
      this.#relay.down();
      await delay(fault.ms, undefined, { signal });
      this.#relay.up();
    }
  }
}
