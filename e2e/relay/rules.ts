interface When {
  /** A kind of request, as `kindOf` names it, several, or `*`, which is the default. */
  readonly kind?: string | readonly string[];
  /** A text that the URL must hold. */
  readonly match?: string;
  /** How often the rule applies; always without it. */
  readonly times?: number;
  /** How many requests of the kind to let pass first. */
  readonly skip?: number;
}

/** When a connection is struck: after so many milliseconds, or after so many bytes one way. */
type Moment = { readonly after: number } | { readonly bytesUp: number } | { readonly bytesDown: number };

/** `refuse` and `reset`: the API never hears of it. `lose`: it does what was asked, and nobody is told. */
export type RequestRule = When &
  (
    | {
        readonly do: 'refuse';
        readonly status: number;
        /** In seconds. */
        readonly retryAfter?: number;
        readonly message?: string;
      }
    | { readonly do: 'reset' }
    | { readonly do: 'lose' }
    | { readonly do: 'delay'; readonly ms: number }
  );

/** `stall`: no more bytes either way, and the sockets stay open. */
export type StreamRule = When &
  (
    | { readonly do: 'cut'; readonly how: 'fin' | 'rst'; readonly at: Moment }
    | { readonly do: 'stall'; readonly at: Moment }
    | { readonly do: 'throttle'; readonly bytesPerSecond: number }
    | { readonly do: 'idle'; readonly ms: number }
  );

export type Rule = RequestRule | StreamRule;

const requestActions = new Set<Rule['do']>(['refuse', 'reset', 'lose', 'delay']);

const isRequestRule = (rule: Rule): rule is RequestRule => requestActions.has(rule.do);

interface Counted {
  readonly rule: Rule;
  skip: number;
  left: number;
}

/** The rules in force, in order, and how often each sort was used. */
export class RuleBook {
  #rules: Counted[] = [];
  /** By action: `cut-rst`, `refuse-503`, … */
  readonly applied = new Map<string, number>();

  add(rule: Rule): void {
    this.#rules.push({ rule, skip: rule.skip ?? 0, left: rule.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#rules = [];
  }

  /** What is done to a request of this kind as such. */
  forRequest(kind: string, url: string): RequestRule | undefined {
    const rule = this.#take(kind, url, isRequestRule);
    return rule && isRequestRule(rule) ? rule : undefined;
  }

  /** What is done to the connection of a request that goes through: one rule of each action at most. */
  forStream(kind: string, url: string): StreamRule[] {
    const taken: StreamRule[] = [];
    for (const action of ['cut', 'stall', 'throttle', 'idle'] as const) {
      const rule = this.#take(kind, url, (one) => one.do === action);
      if (rule && !isRequestRule(rule)) taken.push(rule);
    }
    return taken;
  }

  count(name: string, times = 1): void {
    if (times > 0) this.applied.set(name, (this.applied.get(name) ?? 0) + times);
  }

  #take(kind: string, url: string, wanted: (rule: Rule) => boolean): Rule | undefined {
    for (const counted of this.#rules) {
      const { rule } = counted;
      if (!wanted(rule) || !applies(rule, kind, url) || counted.left === 0) continue;
      if (counted.skip > 0) {
        counted.skip--;
        continue;
      }
      counted.left--;
      return rule;
    }
    return undefined;
  }
}

function applies(rule: Rule, kind: string, url: string): boolean {
  const kinds = rule.kind === undefined ? ['*'] : [rule.kind].flat();
  return (
    (kinds.includes('*') || kinds.includes(kind)) && (rule.match === undefined || url.includes(rule.match))
  );
}

/** As figures name it. */
export function nameOf(rule: Rule, kind: string): string {
  const detail = rule.do === 'refuse' ? `-${rule.status}` : rule.do === 'cut' ? `-${rule.how}` : '';
  return `${rule.do}${detail} ${kind}`;
}
