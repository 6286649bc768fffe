import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { badInput } from '../../base/errors.ts';

/** Lists of a pod's spec that merge element by element, and by which key: the API's own `patchMergeKey`s. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};

type Tree = Readonly<Record<string, unknown>>;

/**
 * Merges a user's patch into the pod's spec as kubectl's strategic merge does: maps by key, `null` removes,
 * the lists above by their key, `$patch: delete` and `replace` in maps and elements. What makes the pod a run's
 * is locked.
 */
export function patchPodSpec(spec: PodSpec, patch: Tree | undefined): PodSpec {
  if (patch === undefined) return spec;
  refuseLocked(spec, patch);
  const merged: PodSpec = { ...spec, ...mergeMaps({ ...spec }, patch) };
  for (const key of Object.keys(patch)) if (patch[key] === null) Reflect.deleteProperty(merged, key);
  return merged;
}

function mergeMaps(base: Tree, patch: Tree): Record<string, unknown> {
  if (patch.$patch === 'replace') return withoutDirective(patch);
  if (patch.$patch !== undefined)
    throw badInput(
      `--pod-patch: $patch: ${String(patch.$patch)} cannot stand here; use replace, or delete in a list's element`,
    );
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const before = result[key];
    if (value === null) delete result[key];
    else if (isTree(value)) result[key] = mergeMaps(isTree(before) ? before : {}, value);
    else if (Array.isArray(value) && mergeKeys[key] !== undefined) {
      result[key] = mergeLists(Array.isArray(before) ? before : [], value, key, mergeKeys[key]);
    } else result[key] = value;
  }
  return result;
}

function mergeLists(
  base: readonly unknown[],
  patch: readonly unknown[],
  list: string,
  key: string,
): unknown[] {
  const result = [...base];
  for (const element of patch) {
    if (!isTree(element) || element[key] === undefined) {
      throw badInput(`--pod-patch: each element of ${list} needs a ${key}, by which it is merged`);
    }
    const at = result.findIndex((each) => isTree(each) && each[key] === element[key]);
    const before = result[at];
    if (element.$patch === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (isTree(before)) result[at] = mergeMaps(before, element);
    else result.push(withoutDirective(element));
  }
  return result;
}

const withoutDirective = ({ $patch: _, ...rest }: Tree): Record<string, unknown> => rest;

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lockedOfContainer = [
  'command',
  'args',
  'workingDir',
  'image',
  'imagePullPolicy',
  'restartPolicy',
  'stdin',
  'tty',
];
const flagFor: Readonly<Record<string, string>> = { image: '--image', imagePullPolicy: '--pull' };

function refuseLocked(spec: PodSpec, patch: Tree): void {
  if ('restartPolicy' in patch) throw locked('restartPolicy');
  if (patch.$patch !== undefined) throw badInput('--pod-patch: the pod as a whole cannot be replaced');
  const ours = new Set((spec.volumes ?? []).map((volume) => volume.name));
  for (const list of ['containers', 'volumes'] as const) {
    if (list in patch && !Array.isArray(patch[list])) throw badInput(`--pod-patch: ${list} is a list`);
  }
  for (const volume of elements(patch.volumes)) {
    if (typeof volume.name === 'string' && ours.has(volume.name)) throw locked(`the volume ${volume.name}`);
  }
  const paths = new Set((spec.containers[0]?.volumeMounts ?? []).map((mount) => mount.mountPath));
  for (const container of elements(patch.containers)) {
    if (container.name !== spec.containers[0]?.name) continue;
    if (container.$patch !== undefined) throw locked(`the container ${String(container.name)}`);
    for (const key of lockedOfContainer)
      if (key in container) throw locked(`${key} of the container`, flagFor[key]);
    if ('volumeMounts' in container && !Array.isArray(container.volumeMounts))
      throw locked('the volume mounts');
    for (const mount of elements(container.volumeMounts)) {
      if (typeof mount.mountPath === 'string' && paths.has(mount.mountPath.replace(/\/+$/, ''))) {
        throw locked(`the mount at ${mount.mountPath}`);
      }
    }
  }
}

const elements = (list: unknown): Tree[] => (Array.isArray(list) ? list.filter(isTree) : []);

const locked = (what: string, flag?: string) =>
  badInput(`--pod-patch: ${what} is the run's own and cannot be patched${flag ? `; use ${flag}` : ''}`);
