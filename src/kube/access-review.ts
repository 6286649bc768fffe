import { z } from 'zod';
import { RunnerError } from '../base/errors.ts';
import type { ApiCall, KubeApi } from './kube-api.ts';

/** A right as a Role grants it. */
export interface Right {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

const base = '/apis/authorization.k8s.io/v1';

const names = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);

const rulesReviewSchema = z.object({
  status: z.object({
    resourceRules: z
      .array(z.object({ verbs: names, apiGroups: names, resources: names, resourceNames: names }))
      .nullish()
      .transform((rules) => rules ?? []),
  }),
});

type Rule = z.output<typeof rulesReviewSchema>['status']['resourceRules'][number];

const accessReviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });

/**
 * Which of these rights the caller has not in a namespace: one question for its rules, and one more for each
 * right that they do not show (an authorizer need not be able to list its rules). A server that answers no such
 * questions at all leaves nothing missing: the calls themselves will tell.
 */
export async function missingRights(
  api: KubeApi,
  namespace: string,
  rights: readonly Right[],
  signal?: AbortSignal,
): Promise<readonly Right[]> {
  const rules = await answered([], async () => {
    const call = { ...rulesReview(namespace), ...(signal ? { signal } : {}) };
    const answer = await api.request(call, rulesReviewSchema);
    return answer.status.resourceRules;
  });
  const unseen = rights.filter((right) => !rules.some((rule) => grants(rule, right)));
  const missing: Right[] = [];
  for (let at = 0; at < unseen.length; at += questionsAtOnce) {
    const some = unseen.slice(at, at + questionsAtOnce);
    const allowed = await Promise.all(
      some.map((right) => answered(true, () => isAllowed(api, namespace, right, signal))),
    );
    missing.push(...some.filter((_, index) => !allowed[index]));
  }
  return missing;
}

/** Fewer than a signal may have listeners before Node calls it a leak. */
const questionsAtOnce = 8;

/** The question for all of the caller's rules in a namespace. */
export const rulesReview = (namespace: string): ApiCall => ({
  method: 'POST',
  path: `${base}/selfsubjectrulesreviews`,
  body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
});

/** Whether a rule, for any object of the resource, gives a right. */
export function grants(rule: Rule, right: Right): boolean {
  if (rule.resourceNames.length > 0) return false;
  const resources = right.subresource
    ? ['*', `${right.resource}/${right.subresource}`, `*/${right.subresource}`]
    : ['*', right.resource];
  return (
    (rule.verbs.includes('*') || rule.verbs.includes(right.verb)) &&
    (rule.apiGroups.includes('*') || rule.apiGroups.includes(right.group)) &&
    resources.some((resource) => rule.resources.includes(resource))
  );
}

/** Whether the caller has a right in a namespace, or (undefined) in the cluster as a whole. */
export async function isAllowed(
  api: KubeApi,
  namespace: string | undefined,
  right: Right,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { namespace, ...right } },
  };
  const path = `${base}/selfsubjectaccessreviews`;
  const answer = await api.request(
    { method: 'POST', path, body, ...(signal ? { signal } : {}) },
    accessReviewSchema,
  );
  return answer.status.allowed;
}

async function answered<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RunnerError && (error.code === 'Forbidden' || error.code === 'NotFound')) {
      return otherwise;
    }
    throw error;
  }
}

/** `create pods/exec`, `create jobs.batch`: for messages. */
export function rightName(right: Right): string {
  const resource = right.group ? `${right.resource}.${right.group}` : right.resource;
  return `${right.verb} ${resource}${right.subresource ? `/${right.subresource}` : ''}`;
}
