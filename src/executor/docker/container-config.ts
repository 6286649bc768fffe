import type { OpenRequest } from '../executor.ts';
import { bootCommand } from '../step-protocol/programs.ts';
import type { ContainerSettings } from './container-settings.ts';
import { containerLabels } from './run-labels.ts';

/** As the engine's API takes it. */
export interface ContainerConfig {
  readonly Image: string;
  readonly User?: string;
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly StopSignal: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly HostConfig: HostConfig;
}

interface HostConfig {
  readonly NetworkMode: string;
  readonly SecurityOpt: readonly string[];
  readonly CapDrop?: readonly string[];
  readonly Memory?: number;
  readonly MemorySwap?: number;
  readonly NanoCpus?: number;
  readonly PidsLimit: number;
  readonly Tmpfs: Readonly<Record<string, string>>;
}

/** Nobody's, as in a pod of the `restricted` profile. */
const restrictedUid = 65532;
/** A fork bomb ends in its container; a large parallel build has room. */
const mostProcesses = 8192;
/** For scripts, environments and exit codes; a step's log is not in it. */
const stateBytes = 64 * 1024 * 1024;

/** The one container that a run is. Pure: the same request gives the same container. */
export function containerConfig(
  request: OpenRequest,
  settings: ContainerSettings,
  network: string,
): ContainerConfig {
  const user = userOf(settings);
  return {
    Image: request.image,
    ...(user === undefined ? {} : { User: user }),
    WorkingDir: '/work',
    Entrypoint: bootCommand(request.keep ? 0 : request.limits.orphanMs),
    Cmd: [], // an image's own would be put behind
    Labels: containerLabels(request),
    StopSignal: 'SIGTERM', // an image may have another, which process 1 would not end on
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(settings, network),
  };
}

function hostConfig({ profile, memoryBytes, cpus }: ContainerSettings, network: string): HostConfig {
  return {
    NetworkMode: network,
    SecurityOpt: ['no-new-privileges'],
    ...(profile === 'restricted' ? { CapDrop: ['ALL'] } : {}),
    // the same for both: no swap, as in a pod
    ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
    ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    PidsLimit: mostProcesses,
    Tmpfs: { '/.knotless': `rw,nosuid,nodev,noexec,size=${stateBytes},mode=1777` },
  };
}

function userOf({ user, profile }: ContainerSettings): string | undefined {
  if (!user) return profile === 'restricted' ? `${restrictedUid}:${restrictedUid}` : undefined;
  return user.gid === undefined ? String(user.uid) : `${user.uid}:${user.gid}`;
}

/** What the network of a run is called where it has none of its own. */
export const sharedNetworks = { open: 'default', none: 'none' } as const;
