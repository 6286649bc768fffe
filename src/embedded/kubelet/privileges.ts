import type { Container, PodSpec } from '../store/pod.ts';

/** What a container runtime leaves to a container by default. */
const usual = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setpcap',
  'net_bind_service',
  'net_raw',
  'sys_chroot',
  'mknod',
  'audit_write',
  'setfcap',
];

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

export const identityOf = (container: Container, pod: PodSpec): Identity => ({
  uid: container.securityContext?.runAsUser ?? pod.securityContext?.runAsUser ?? 0,
  gid: container.securityContext?.runAsGroup ?? pod.securityContext?.runAsGroup ?? 0,
});

const plain = (name: string): string => name.toLowerCase().replace(/^cap_/, '');

/** The capabilities of a container; none beyond the usual ones can be added. */
export function capabilitiesOf(container: Container): string[] {
  const { add = [], drop = [] } = container.securityContext?.capabilities ?? {};
  const dropped = new Set(drop.map(plain));
  const added = new Set(add.map(plain));
  return usual.filter((name) => added.has(name) || !(dropped.has('all') || dropped.has(name)));
}

/** Options of setpriv(1) that take away what the container may not have. */
export function privilegeOptions(container: Container, joining: boolean, uid: number): string[] {
  const bounding = ['-all', ...capabilitiesOf(container).map((name) => `+${name}`)].join(',');
  const nothingNew = container.securityContext?.allowPrivilegeEscalation === false ? ['--no-new-privs'] : [];
  // Who joins as an ordinary user has no capability left by then, not even the one to drop some.
  if (joining && uid !== 0) return nothingNew;
  return ['--inh-caps=-all', '--ambient-caps=-all', `--bounding-set=${bounding}`, ...nothingNew];
}
