import { setTimeout as delay } from 'node:timers/promises';
import type { Relay } from '../relay/relay.ts';
import type { Fault, PlannedFault } from './planned-faults.ts';

/** What somebody does to the run's pod, not through the relay. Resolves to whether there was one. */
export type Strike = (how: 'delete-pod' | 'evict-pod') => Promise<boolean>;

/** Lets the planned faults of one run loose, each at its moment. */
export class Weather implements AsyncDisposable {
  readonly #relay: Relay;
  readonly #strike: Strike;
  readonly #faults: readonly PlannedFault[];
  readonly #trace: (message: string) => void;
  readonly #over = new AbortController();
  readonly #pending: Promise<void>[] = [];
  #lightning = false;
  /** How often the pod was struck, by fault. */
  readonly struck = new Map<string, number>();

  constructor(
    relay: Relay,
    strike: Strike,
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
    if (fault.do === 'delete-pod' || fault.do === 'evict-pod') {
      if (!(await this.#strike(fault.do))) return;
      this.#lightning = true;
      this.struck.set(fault.do, (this.struck.get(fault.do) ?? 0) + 1);
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
