import { badInput } from '../../base/errors.ts';
import type { PodSettings, Toleration } from '../../executor/kubernetes/pod-settings.ts';
import { quote } from './scalars.ts';

type PodUser = NonNullable<PodSettings['user']>;

const subdomain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const labelName = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const highestId = 2 ** 31 - 1;

export function parseUser(text: string): PodUser {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (uid === undefined)
    throw badInput(`${quote(text)} is not UID or UID:GID; names are not known here, write 1000:1000`);
  if (Number(uid) > highestId || Number(gid ?? 0) > highestId) {
    throw badInput(`${quote(text)} is too high; ${highestId} is the most`);
  }
  return { uid: Number(uid), gid: gid === undefined ? undefined : Number(gid) };
}

export function parseNodeSelector(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=');
  const [key, value] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (at < 1 || !isLabelKey(key) || (value !== '' && !labelName.test(value))) {
    throw badInput(`${quote(text)} is not a label; write it as KEY=VALUE, such as kubernetes.io/arch=amd64`);
  }
  return [key, value];
}

/** `KEY`, `KEY=VALUE`, and either with `:EFFECT`, as `kubectl taint` writes taints. */
export function parseToleration(text: string): Toleration {
  const [, key = '', value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(.*))?$/.exec(text) ?? [];
  if (!isLabelKey(key) || (value !== undefined && value !== '' && !labelName.test(value))) {
    throw badInput(`${quote(text)} is not a taint; write it as KEY, KEY=VALUE or KEY=VALUE:NoSchedule`);
  }
  const base =
    value === undefined
      ? ({ key, operator: 'Exists' } as const)
      : ({ key, operator: 'Equal', value } as const);
  if (effect === undefined) return base;
  if (effect !== 'NoSchedule' && effect !== 'PreferNoSchedule' && effect !== 'NoExecute') {
    throw badInput(
      `${quote(effect)} is no effect of a taint; NoSchedule, PreferNoSchedule and NoExecute are`,
    );
  }
  return { ...base, effect };
}

function isLabelKey(key: string): boolean {
  const parts = key.split('/');
  const name = parts.pop() ?? '';
  const prefix = parts.pop();
  if (parts.length > 0 || !labelName.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
}

/** The name of a Secret or a ServiceAccount. */
export function parseObjectName(text: string): string {
  if (text.length > 253 || !subdomain.test(text)) {
    throw badInput(`${quote(text)} cannot be the name of an object; those are of a-z, 0-9, - and .`);
  }
  return text;
}

export function parseNamespace(text: string): string {
  if (text.length > 63 || !subdomain.test(text) || text.includes('.')) {
    throw badInput(`${quote(text)} cannot be a namespace; those are of a-z, 0-9 and -, 63 at most`);
  }
  return text;
}

/** A path of the pod to fetch, without a slash at its end. */
export function parsePodPath(text: string): string {
  const path = text.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
  if (!path.startsWith('/') || path.split('/').some((part) => part === '.' || part === '..')) {
    throw badInput(`${quote(text)} must be an absolute path of the pod without . and .., such as /work/dist`);
  }
  if (path === '/') throw badInput('the whole pod cannot be fetched; name a folder, such as /work/dist');
  if (path.includes('\0') || path.includes('\n'))
    throw badInput(`${quote(text)} cannot be fetched; rename it`);
  return path;
}
