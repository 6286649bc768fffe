import { z } from 'zod';
import type { Store } from '../store/store.ts';
import type { PolicyRule } from './rbac.ts';
import { denial, mayDo, rulesOf } from './rbac.ts';
import type { User } from './tokens.ts';

const accessSchema = z.looseObject({
  spec: z.looseObject({
    resourceAttributes: z
      .looseObject({
        verb: z.string().default(''),
        group: z.string().default(''),
        resource: z.string().default(''),
        subresource: z.string().default(''),
        name: z.string().default(''),
        namespace: z.string().default(''),
      })
      .optional(),
    nonResourceAttributes: z
      .looseObject({ path: z.string().default(''), verb: z.string().default('') })
      .optional(),
  }),
});

/** Answers a SelfSubjectAccessReview. */
export function reviewAccess(store: Store, user: User, sent: unknown): object {
  const review = accessSchema.parse(sent);
  const asked = review.spec.resourceAttributes;
  const wanted = asked && {
    verb: asked.verb,
    group: asked.group,
    resource: asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`,
    name: asked.name,
    namespace: asked.namespace === '' ? undefined : asked.namespace,
  };
  const allowed = wanted ? mayDo(store, user, wanted) : true;
  return {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: review.spec,
    status: { allowed, ...(!allowed && wanted && { reason: denial(user, wanted) }) },
  };
}

/** Answers a SelfSubjectReview: who the server takes the caller for. */
export const reviewSelf = ({ name, uid, groups }: User): object => ({
  kind: 'SelfSubjectReview',
  apiVersion: 'authentication.k8s.io/v1',
  metadata: {},
  status: { userInfo: { username: name, ...(uid !== undefined && { uid }), groups } },
});

const rulesSchema = z.looseObject({ spec: z.looseObject({ namespace: z.string().default('') }) });

/** Answers a SelfSubjectRulesReview. */
export function reviewRules(store: Store, user: User, sent: unknown): object {
  const { spec } = rulesSchema.parse(sent);
  const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const rules = user.groups.includes('system:masters') ? [all] : rulesOf(store, user, spec.namespace);
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules
        .filter((rule) => rule.resources)
        .map(({ verbs, apiGroups = [], resources = [], resourceNames }) => ({
          verbs,
          apiGroups,
          resources,
          ...(resourceNames && { resourceNames }),
        })),
      nonResourceRules: [
        { verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/version'] },
      ],
      incomplete: false,
    },
  };
}
