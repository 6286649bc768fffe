import { z } from 'zod';
import type { Resource } from '../api/resources.ts';
import { resources } from '../api/resources.ts';
import type { KubeObject } from '../store/object.ts';
import type { Store } from '../store/store.ts';
import type { User } from './tokens.ts';

const list = z.array(z.string()).optional();

const ruleSchema = z.looseObject({
  verbs: z.array(z.string()).default([]),
  apiGroups: list,
  resources: list,
  resourceNames: list,
  nonResourceURLs: list,
});

export type PolicyRule = z.infer<typeof ruleSchema>;

export const roleSchema = z.looseObject({ rules: z.array(ruleSchema).nullish() });

export const bindingSchema = z.looseObject({
  roleRef: z.looseObject({ kind: z.string(), name: z.string() }),
  subjects: z
    .array(z.looseObject({ kind: z.string(), name: z.string(), namespace: z.string().optional() }))
    .nullish(),
});

/** One thing that somebody wants to do with a resource. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/exec`. */
  readonly resource: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

const covers = (values: readonly string[] | undefined, wanted: string): boolean =>
  values?.some((value) => value === '*' || value === wanted) ?? false;

export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  const [, subresource] = wanted.resource.split('/');
  const named = rule.resourceNames ?? [];
  return (
    covers(rule.verbs, wanted.verb) &&
    covers(rule.apiGroups, wanted.group) &&
    (covers(rule.resources, wanted.resource) ||
      (subresource !== undefined && (rule.resources?.includes(`*/${subresource}`) ?? false))) &&
    (named.length === 0 || named.includes(wanted.name))
  );
}

function isSubject(binding: z.infer<typeof bindingSchema>, user: User, home: string | undefined): boolean {
  return (binding.subjects ?? []).some((subject) => {
    if (subject.kind === 'User') return subject.name === user.name;
    if (subject.kind === 'Group') return user.groups.includes(subject.name);
    return (
      subject.kind === 'ServiceAccount' &&
      user.name === `system:serviceaccount:${subject.namespace ?? home ?? ''}:${subject.name}`
    );
  });
}

/** The rules that bind a user in a namespace (undefined: in the cluster as a whole). */
export function rulesOf(store: Store, user: User, namespace: string | undefined): PolicyRule[] {
  const bindings = (resource: Resource, home?: string): KubeObject[] =>
    store.list(resource, home).filter((one) => isSubject(bindingSchema.parse(one), user, home));
  const bound = [
    ...bindings(resources.clusterRoleBindings),
    ...(namespace === undefined ? [] : bindings(resources.roleBindings, namespace)),
  ];
  return bound.flatMap((binding) => {
    const { kind, name } = bindingSchema.parse(binding).roleRef;
    const role =
      kind === 'ClusterRole'
        ? store.get(resources.clusterRoles, undefined, name)
        : store.get(resources.roles, binding.metadata.namespace, name);
    return role ? (roleSchema.parse(role).rules ?? []) : [];
  });
}

/** Whether the user may; `system:masters` may do all. */
export const mayDo = (store: Store, user: User, wanted: Attributes): boolean =>
  user.groups.includes('system:masters') ||
  rulesOf(store, user, wanted.namespace).some((rule) => ruleAllows(rule, wanted));

/** Why not, in the API's words. */
export const denial = (user: User, wanted: Attributes): string =>
  `User "${user.name}" cannot ${wanted.verb} resource "${wanted.resource}" in API group "${wanted.group}" ${
    wanted.namespace === undefined ? 'at the cluster scope' : `in the namespace "${wanted.namespace}"`
  }`;
