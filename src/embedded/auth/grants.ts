import { isDeepStrictEqual } from 'node:util';
import type { Resource } from '../api/resources.ts';
import { resources } from '../api/resources.ts';
import type { FieldFault } from '../api/status.ts';
import { forbidden, invalid } from '../api/status.ts';
import type { KubeObject } from '../store/object.ts';
import type { Store } from '../store/store.ts';
import { type Attributes, bindingSchema, mayDo, type PolicyRule, roleSchema } from './rbac.ts';
import type { User } from './tokens.ts';

interface Grant {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** What it is to take the place of. */
  readonly previous?: KubeObject;
}

/**
 * Throws what the API answers to a role or binding that is malformed, or that gives what its author does not have
 * and may not give. Does nothing for other kinds.
 */
export function checkGrant(store: Store, user: User, grant: Grant): void {
  const { resource } = grant;
  if (resource === resources.roles || resource === resources.clusterRoles) checkRole(store, user, grant);
  if (resource === resources.roleBindings || resource === resources.clusterRoleBindings)
    checkBinding(store, user, grant);
}

function checkRole(store: Store, user: User, { resource, object, previous }: Grant): void {
  const { name, namespace } = object.metadata;
  const parsed = roleSchema.safeParse(object);
  const rules = parsed.success ? (parsed.data.rules ?? []) : [];
  const faults = rules.flatMap((rule, index): FieldFault[] =>
    rule.verbs.length > 0
      ? []
      : [
          {
            field: `rules[${index}].verbs`,
            reason: 'FieldValueRequired',
            message: 'Required value: verbs must contain at least one value',
          },
        ],
  );
  if (!parsed.success) faults.push({ field: 'rules', reason: 'FieldValueInvalid', message: 'Invalid value' });
  if (faults.length > 0) throw invalid(resource, name, faults);
  if (previous && isDeepStrictEqual(previous.rules, object.rules)) return;
  const wanted = { group: resource.group, resource: resource.plural, name, namespace };
  if (!mayDo(store, user, { ...wanted, verb: 'escalate' })) checkHeld(store, user, rules, resource, object);
}

function checkBinding(store: Store, user: User, { resource, object, previous }: Grant): void {
  const { name, namespace } = object.metadata;
  const parsed = bindingSchema.safeParse(object);
  if (!parsed.success) {
    const message = 'Required value';
    throw invalid(resource, name, [{ field: 'roleRef.name', reason: 'FieldValueRequired', message }]);
  }
  const { roleRef } = parsed.data;
  if (previous && !isDeepStrictEqual(previous.roleRef, object.roleRef)) {
    const message = `Invalid value: ${JSON.stringify(roleRef)}: cannot change roleRef`;
    throw invalid(resource, name, [{ field: 'roleRef', reason: 'FieldValueInvalid', message }]);
  }
  if (previous && isDeepStrictEqual(previous.subjects, object.subjects)) return;
  const role = roleRef.kind === 'ClusterRole' ? resources.clusterRoles : resources.roles;
  const wanted = { group: role.group, resource: role.plural, name: roleRef.name, namespace };
  if (mayDo(store, user, { ...wanted, verb: 'bind' })) return;
  const bound = store.get(role, role.namespaced ? namespace : undefined, roleRef.name);
  checkHeld(store, user, bound ? (roleSchema.parse(bound).rules ?? []) : [], resource, object);
}

function checkHeld(
  store: Store,
  user: User,
  rules: readonly PolicyRule[],
  resource: Resource,
  { metadata: { name, namespace } }: KubeObject,
): void {
  const missing = rules.filter((rule) =>
    actionsOf(rule, namespace).some((action) => !mayDo(store, user, action)),
  );
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const listed = missing.map(({ apiGroups = [], resources: names = [], verbs }) => {
    const [inGroups, of, to] = [apiGroups, names, verbs].map((list) =>
      list.map((one) => JSON.stringify(one)).join(' '),
    );
    return `{APIGroups:[${inGroups}], Resources:[${of}], Verbs:[${to}]}`;
  });
  throw forbidden(
    resource,
    name,
    `user "${user.name}" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${listed.join('\n')}`,
  );
}

const actionsOf = (rule: PolicyRule, namespace: string | undefined): readonly Attributes[] =>
  (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        (rule.resourceNames ?? ['']).map((name) => ({ verb, group, resource, name, namespace })),
      ),
    ),
  );
