import { z } from 'zod';
import { isKind, kindsText } from './kinds.ts';

const kind = z.string().refine(isKind, {
  error: ({ input }) => `nothing is of the kind ${JSON.stringify(input)}; there are: ${kindsText}`,
});

const when = {
  /**
   * Moments it applies at, none or `*` for all: requests as `kindOf` names them, whose subject is their path and
   * query; and `admit-pod`, `pull-image`, `pod-running`, whose subject is the pod's name.
   */
  kind: z.union([kind, z.array(kind)]).optional(),
  /** A text that the subject must hold. */
  match: z.string().optional(),
  /** How often it applies; for ever where it is not said. */
  times: z.number().int().min(0).optional(),
  /** How many to let pass first. */
  skip: z.number().int().min(0).optional(),
};

const after = { after: z.number().min(0).optional() };
const afterOrBytes = { ...after, bytes: z.number().int().min(0).optional() };

export const faultRuleSchema = z.discriminatedUnion('do', [
  // a request: refused, late, reset before or after it was done
  z.strictObject({
    do: z.literal('answer'),
    ...when,
    status: z.number().int().min(400).max(599),
    retryAfter: z.number().int().optional(),
    message: z.string().optional(),
  }),
  z.strictObject({ do: z.literal('delay'), ...when, ms: z.number().min(0) }),
  z.strictObject({ do: z.literal('reset'), ...when }),
  z.strictObject({ do: z.literal('lose'), ...when }),
  // a stream (watch, exec, log): ended, silent, slow
  z.strictObject({ do: z.literal('cut'), ...when, ...afterOrBytes, how: z.enum(['fin', 'rst']).optional() }),
  z.strictObject({ do: z.literal('stall'), ...when, ...afterOrBytes }),
  z.strictObject({ do: z.literal('throttle'), ...when, bps: z.number().positive() }),
  z.strictObject({ do: z.literal('no-container'), ...when }),
  // a running pod, some time after the moment
  z.strictObject({ do: z.literal('evict'), ...when, ...after, message: z.string().optional() }),
  z.strictObject({ do: z.literal('oom'), ...when, ...after }),
  z.strictObject({ do: z.literal('delete-pod'), ...when, ...after }),
  z.strictObject({ do: z.literal('lose-node'), ...when, ...after }),
  // a pod that is to come
  z.strictObject({ do: z.literal('fail-pull'), ...when, message: z.string().optional() }),
  z.strictObject({
    do: z.literal('refuse-pod'),
    ...when,
    /** A full quota, or PodSecurity's `restricted`, which lets a pod pass that meets it. A full quota without it. */
    by: z.enum(['quota', 'pod-security']).optional(),
    message: z.string().optional(),
  }),
]);

/** Times are milliseconds, `retryAfter` seconds, `bps` bytes a second each way. */
export type FaultRule = z.infer<typeof faultRuleSchema>;
type FaultAction = FaultRule['do'];

type RuleOf<A extends FaultAction> = Extract<FaultRule, { do: A }>;

export interface Faults {
  readonly rules: readonly FaultRule[];
  /** Replaces all rules. */
  set(rules: readonly FaultRule[]): void;
  add(rule: FaultRule): void;
  clear(): void;
  /** The first rule of these actions that applies now; it is counted as used. */
  take<A extends FaultAction>(actions: readonly A[], kind: string, subject: string): RuleOf<A> | undefined;
}

const applies = (rule: FaultRule, kind: string, subject: string): boolean => {
  const kinds = rule.kind === undefined ? ['*'] : [rule.kind].flat();
  return (
    (kinds.includes('*') || kinds.includes(kind)) &&
    (rule.match === undefined || subject.includes(rule.match))
  );
};

export function createFaults(initial: readonly FaultRule[] = []): Faults {
  let rules: FaultRule[] = [];
  const set = (list: readonly FaultRule[]): void => {
    rules = list.map((rule) => faultRuleSchema.parse(rule));
  };
  set(initial);
  return {
    get rules() {
      return rules;
    },
    set,
    add: (rule) => set([...rules, rule]),
    clear: () => set([]),
    take(actions, kind, subject) {
      type Wanted = RuleOf<(typeof actions)[number]>;
      const wanted = (rule: FaultRule): rule is Wanted => actions.some((action) => action === rule.do);
      for (const rule of rules) {
        if (!wanted(rule) || !applies(rule, kind, subject) || rule.times === 0) continue;
        if (rule.skip) {
          rule.skip -= 1;
          continue;
        }
        if (rule.times !== undefined) rule.times -= 1;
        return rule;
      }
      return undefined;
    },
  };
}
