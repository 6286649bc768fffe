import type { Readable, Writable } from 'node:stream';
import { meter } from './meter.ts';
import type { StreamRule } from './rules.ts';

/** The two ends that a flow joins. */
export interface FlowEnds {
  /** Both are the same where bytes flow both ways. */
  readonly fromApi: Readable;
  readonly toApi: Writable | undefined;
  readonly fromClient: Readable | undefined;
  readonly toClient: Writable;
  /** Ends the client's connection. */
  readonly hangUp: (how: 'fin' | 'rst') => void;
  /** Lets go of the API's connection. */
  readonly release: () => void;
}

/** One answer or one exec on its way through the relay: what can be cut, stalled, slowed, or dropped when idle. */
export class Flow {
  readonly kind: string;
  readonly #ends: FlowEnds;
  readonly #over = new AbortController();
  readonly #joints: (() => void)[] = [];
  readonly #rules: readonly StreamRule[];
  readonly #told: (rule: StreamRule) => void;
  #idle: NodeJS.Timeout | undefined;
  #up = 0;
  #down = 0;
  #stalled = false;

  /** `told` is called with each rule when it strikes. */
  constructor(kind: string, ends: FlowEnds, rules: readonly StreamRule[], told: (rule: StreamRule) => void) {
    this.kind = kind;
    this.#ends = ends;
    this.#rules = rules;
    this.#told = told;
    const { fromApi, toApi, fromClient, toClient } = ends;
    const slow = rules.find((rule) => rule.do === 'throttle');
    if (slow) told(slow);
    if (fromClient && toApi) {
      this.#join(fromClient, toApi, slow?.bytesPerSecond, (bytes) => {
        this.#up += bytes;
      });
    }
    this.#join(fromApi, toClient, slow?.bytesPerSecond, (bytes) => {
      this.#down += bytes;
    });
    toClient.once('close', () => this.#end());
    for (const rule of rules) this.#arm(rule);
  }

  get stalled(): boolean {
    return this.#stalled;
  }

  /** Aborted when the flow is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  cut(how: 'fin' | 'rst'): boolean {
    if (this.over.aborted) return false;
    this.#end();
    this.#ends.hangUp(how);
    this.#ends.release();
    return true;
  }

  /** Lets go of the API's end, which a stalled flow holds on to. */
  release(): void {
    this.#ends.release();
  }

  /** No byte is read or written any more. */
  stall(): boolean {
    if (this.#stalled || this.over.aborted) return false;
    this.#stalled = true;
    for (const part of this.#joints) part();
    return true;
  }

  #arm(rule: StreamRule): void {
    if (rule.do === 'idle') {
      this.#idle = setTimeout(() => this.#strike(rule), rule.ms);
    } else if ((rule.do === 'cut' || rule.do === 'stall') && 'after' in rule.at) {
      const timer = setTimeout(() => this.#strike(rule), rule.at.after);
      this.over.addEventListener('abort', () => clearTimeout(timer));
    }
  }

  #strike(rule: StreamRule): void {
    const struck = rule.do === 'stall' ? this.stall() : this.cut(rule.do === 'cut' ? rule.how : 'fin');
    if (struck) this.#told(rule);
  }

  #passed(): void {
    this.#idle?.refresh();
    for (const rule of this.#rules) {
      if (rule.do !== 'cut' && rule.do !== 'stall') continue;
      const { at } = rule;
      if ('bytesUp' in at && this.#up >= at.bytesUp) this.#strike(rule);
      if ('bytesDown' in at && this.#down >= at.bytesDown) this.#strike(rule);
    }
  }

  /** What was read before an end or a close still arrives. */
  #join(
    from: Readable,
    to: Writable,
    bytesPerSecond: number | undefined,
    count: (bytes: number) => void,
  ): void {
    const metered = meter((bytes) => {
      count(bytes);
      this.#passed();
    }, bytesPerSecond);
    from.pipe(metered).pipe(to);
    from.once('close', () => {
      if (this.#stalled) return;
      from.unpipe(metered); // a closed socket may still give what it holds
      metered.end();
    });
    this.#joints.push(() => {
      from.unpipe(metered);
      metered.unpipe(to);
      from.pause();
      metered.pause();
    });
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#over.abort();
  }
}
