import type { PodSpec } from '../store/pod.ts';

export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

export const enforceLabel = 'pod-security.kubernetes.io/enforce';

export const isPodSecurityLevel = (text: string | undefined): text is PodSecurityLevel =>
  text === 'privileged' || text === 'baseline' || text === 'restricted';

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
const containers = (names: readonly string[]): string =>
  `${names.length === 1 ? 'container' : 'containers'} ${quoted(names)}`;

function baselineFaults(spec: PodSpec): string[] {
  const faults: string[] = [];
  const host = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (host.length > 0) faults.push(`host namespaces (${host.map((name) => `${name}=true`).join(', ')})`);
  const paths = (spec.volumes ?? [])
    .filter((volume) => volume.hostPath !== undefined)
    .map(({ name }) => name);
  if (paths.length > 0)
    faults.push(`hostPath volumes (${paths.length === 1 ? 'volume' : 'volumes'} ${quoted(paths)})`);
  const privileged = spec.containers.filter((one) => one.securityContext?.privileged).map(({ name }) => name);
  if (privileged.length > 0)
    faults.push(`privileged (${containers(privileged)} must not set securityContext.privileged=true)`);
  return faults;
}

function restrictedFaults(spec: PodSpec): string[] {
  const faults: string[] = [];
  const which = (wrong: (one: PodSpec['containers'][number]) => boolean): string[] =>
    spec.containers.filter(wrong).map(({ name }) => name);
  const pod = spec.securityContext;
  const escalating = which((one) => one.securityContext?.allowPrivilegeEscalation !== false);
  if (escalating.length > 0)
    faults.push(
      `allowPrivilegeEscalation != false (${containers(escalating)} must set securityContext.allowPrivilegeEscalation=false)`,
    );
  const capable = which((one) => !one.securityContext?.capabilities?.drop?.includes('ALL'));
  if (capable.length > 0)
    faults.push(
      `unrestricted capabilities (${containers(capable)} must set securityContext.capabilities.drop=["ALL"])`,
    );
  const asRoot = which((one) => !(one.securityContext?.runAsNonRoot ?? pod?.runAsNonRoot));
  if (asRoot.length > 0)
    faults.push(
      `runAsNonRoot != true (pod or ${containers(asRoot)} must set securityContext.runAsNonRoot=true)`,
    );
  const uidZero = which((one) => one.securityContext?.runAsUser === 0);
  if (pod?.runAsUser === 0) faults.push('runAsUser=0 (pod must not set runAsUser=0)');
  else if (uidZero.length > 0) faults.push(`runAsUser=0 (${containers(uidZero)} must not set runAsUser=0)`);
  const unconfined = which(
    (one) =>
      !['RuntimeDefault', 'Localhost'].includes(
        (one.securityContext?.seccompProfile ?? pod?.seccompProfile)?.type ?? '',
      ),
  );
  if (unconfined.length > 0)
    faults.push(
      `seccompProfile (pod or ${containers(unconfined)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
    );
  return faults;
}

/** Why PodSecurity refuses a pod, in its own words; undefined when it does not. */
export function podSecurityRefusal(level: PodSecurityLevel, spec: PodSpec): string | undefined {
  if (level === 'privileged') return undefined;
  const faults = [...baselineFaults(spec), ...(level === 'restricted' ? restrictedFaults(spec) : [])];
  return faults.length === 0 ? undefined : `violates PodSecurity "${level}:latest": ${faults.join(', ')}`;
}
