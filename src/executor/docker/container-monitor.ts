import { z } from 'zod';
import { messageOf, RunnerError } from '../../base/errors.ts';
import { shown } from '../../engine/engine-error.ts';
import { cancellerIn } from './cancel-note.ts';
import { diagnoseEnd } from './container-end.ts';
import { readContainer } from './create-container.ts';
import type { ContainerObject } from './engine-objects.ts';
import type { RunTarget } from './run-target.ts';

/** Behind the engine's events, which may end silently. */
const lookEveryMs = 5_000;
const reopenMs = 1_000;
/** An engine that is being stopped tells of its containers' end before it stops answering. */
const secondLookMs = 300;

const eventSchema = z.object({
  Action: z.string().optional(),
  Actor: z.object({ Attributes: z.record(z.string(), z.string()).nullish() }).nullish(),
});

export interface AskedToEnd {
  readonly by: string;
  /** Of the container. */
  readonly id: string;
  /** Aborted when the monitor ends. */
  readonly signal: AbortSignal;
}

/** Keeps an eye on the run's container, by the engine's events and by looking, and knows why it ended. */
export class ContainerMonitor implements AsyncDisposable {
  readonly #target: RunTarget;
  readonly #id: string;
  readonly #cancelled: (asked: AskedToEnd) => void;
  readonly #end = new AbortController();
  readonly #lost = new AbortController();
  readonly #watching: Promise<unknown>;
  #looking: Promise<void> = Promise.resolve();
  #signal: string | undefined;
  #engineWasAway = false;
  #ending = false;
  #canceller: string | undefined;

  /** `cancelled` hears, once, that somebody asks for the end of the run. */
  constructor(target: RunTarget, id: string, cancelled: (asked: AskedToEnd) => void) {
    this.#target = target;
    this.#cancelled = cancelled;
    this.#id = id;
    this.#watching = Promise.all([this.#listen(), this.#lookNowAndThen()]).catch(() => {});
  }

  /** Aborted with the error that tells why, once the container has ended. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** From here on the container's end is what is wanted: it is neither looked into nor told. */
  expectEnd(): void {
    this.#ending = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the run is over'));
    await this.#watching;
  }

  async #listen(): Promise<void> {
    const { api, clock, observer } = this.#target;
    const { signal } = this.#end;
    const filters = JSON.stringify({ type: ['container'], container: [this.#id] });
    const call = { method: 'GET', path: '/events', query: { filters }, action: 'tell its events' } as const;
    for (;;) {
      try {
        for await (const event of api.lines({ ...call, signal })) this.#hear(eventSchema.parse(event));
      } catch (error) {
        signal.throwIfAborted();
        observer.trace(`the engine's events ended, listening again: ${messageOf(error)}`);
      }
      this.#look();
      await clock.sleep(reopenMs, signal);
    }
  }

  async #lookNowAndThen(): Promise<void> {
    for (;;) {
      await this.#target.clock.sleep(lookEveryMs, this.#end.signal);
      this.#look();
      await this.#looking;
    }
  }

  #hear({ Action: action = '', Actor: actor }: z.output<typeof eventSchema>): void {
    if (action === 'kill') this.#signal = actor?.Attributes?.signal ?? 'unknown';
    // the container may be gone before it can be looked at
    if (action === 'rename') this.#seeName(actor?.Attributes?.name);
    if (/^(die|died|destroy|remove|rename|oom|stop|kill)$/.test(action)) this.#look();
  }

  #seeName(name = ''): void {
    const by = cancellerIn(name);
    if (by === undefined || this.#canceller !== undefined || this.#ending) return;
    this.#canceller = by;
    this.#cancelled({ by, id: this.#id, signal: this.#end.signal });
  }

  #look(): void {
    this.#looking = this.#looking.then(() => this.#lookOnce()).catch(() => {});
  }

  async #lookOnce(): Promise<void> {
    if (this.#ending || this.#lost.signal.aborted) return;
    let found = await this.#container();
    if (found === 'unknown') return;
    this.#seeName(found?.Name);
    if (found?.State.Running) this.#engineWasAway = false; // it outlived that
    if (!this.#diagnosis(found)) return;
    await this.#target.clock.sleep(secondLookMs, this.#end.signal);
    found = await this.#container();
    const error = found === 'unknown' ? undefined : this.#diagnosis(found);
    if (error && !this.#ending) this.#lost.abort(error);
  }

  #diagnosis(found: ContainerObject | undefined): Error | undefined {
    const hearsay = { signal: this.#signal, engineWasAway: this.#engineWasAway };
    const end = diagnoseEnd(this.#target.name, found?.State, hearsay);
    if (end?.code !== 'PodDeleted' || this.#canceller === undefined) return end;
    const by = shown(this.#canceller);
    return new RunnerError('Cancelled', `the run was cancelled from elsewhere, by ${by}`);
  }

  async #container(): Promise<ContainerObject | undefined | 'unknown'> {
    try {
      return await readContainer(this.#target, this.#id, this.#end.signal);
    } catch (error) {
      this.#end.signal.throwIfAborted();
      this.#engineWasAway = true;
      this.#target.observer.trace(`looking at the container failed: ${messageOf(error)}`);
      return 'unknown';
    }
  }
}
