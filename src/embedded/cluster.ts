import { mkdir } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { createAdmission } from './admission/admission.ts';
import type { PodSecurityLevel } from './admission/pod-security.ts';
import { enforceLabel, podSecurityRefusal } from './admission/pod-security.ts';
import { createServerCertificate } from './api/certificate.ts';
import { resources } from './api/resources.ts';
import { startServer } from './api/server.ts';
import type { Attributes } from './auth/rbac.ts';
import { createTokens, type User } from './auth/tokens.ts';
import { createEventRecorder } from './controllers/events.ts';
import { createGarbageCollector } from './controllers/garbage.ts';
import { createJobController } from './controllers/job.ts';
import { createNamespaceController } from './controllers/namespaces.ts';
import type { NodeShape } from './controllers/scheduler.ts';
import { createScheduler } from './controllers/scheduler.ts';
import { createHappenings } from './faults/happenings.ts';
import type { FaultRule, Faults } from './faults/rules.ts';
import { createFaults } from './faults/rules.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { createFifoPool } from './kubelet/fifo-pool.ts';
import { hostParts, hostSettings } from './kubelet/host-tree.ts';
import { createKubelet } from './kubelet/kubelet.ts';
import type { Node } from './kubelet/node.ts';
import { findPrograms } from './kubelet/programs.ts';
import { removeTree } from './kubelet/remove-tree.ts';
import { notices } from './notices.ts';
import { podOf } from './store/pod.ts';
import type { Registry } from './store/registry.ts';
import { createRegistry } from './store/registry.ts';
import { createStore } from './store/store.ts';

export interface EmbeddedClusterOptions {
  /** A folder of the cluster's own: made if it is missing, removed with the cluster. */
  readonly folder: string;
  readonly clock: Clock;
  /** How long the node takes to come once a pod needs it. Default: none. */
  readonly nodeDelayMs?: number;
  /** How long the node stays when no pod needs it any more. Default 10 s. */
  readonly nodeHoldMs?: number;
  /** The `hard` limits of a ResourceQuota in the namespace `default`: `{ pods: '1' }`. */
  readonly quota?: Readonly<Record<string, string>>;
  /** The PodSecurity level that the namespace `default` enforces. */
  readonly podSecurity?: PodSecurityLevel;
  readonly faults?: readonly FaultRule[];
  /** The sub-protocols of exec to offer. Default: v5 and v4. */
  readonly execProtocols?: readonly ('v5.channel.k8s.io' | 'v4.channel.k8s.io')[];
  /** Hears of all that somebody was permitted to do. */
  readonly audit?: (user: User, done: Attributes) => void;
  /** As `--service-account-max-token-expiration` of a real API server; no limit by default. */
  readonly longestTokenSeconds?: number;
  /** Aborting it stops a start that is under way; a running cluster is ended by disposing of it. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedCluster extends AsyncDisposable {
  /** A file that only its owner can read; it holds the admin's token. */
  readonly kubeconfigPath: string;
  readonly server: string;
  /** What the cluster cannot isolate or do, for a person. */
  readonly notices: readonly string[];
  readonly faults: Faults;
  /** Kills all pods, and removes everything that was made. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a Kubernetes API whose pods are processes of this machine. Rejects with a RunnerError where the
 * machine cannot do that.
 */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const folder = resolve(options.folder);
  options.signal?.throwIfAborted();
  await mkdir(join(folder, 'pods'), { recursive: true, mode: 0o700 });
  const ends: (() => void | Promise<void>)[] = [() => removeTree(folder)];
  const end = async (): Promise<void> => {
    for (let one = ends.pop(); one; one = ends.pop()) await one();
  };
  try {
    const cluster = await assemble(folder, options, ends);
    options.signal?.throwIfAborted();
    return { ...cluster, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Puts the parts together; what has to be done at the end goes on `ends`, to be done last first. */
async function assemble(
  folder: string,
  options: EmbeddedClusterOptions,
  ends: (() => void | Promise<void>)[],
): Promise<Omit<EmbeddedCluster, typeof Symbol.asyncDispose>> {
  const { clock } = options;
  const [programs, certificate, host, settings] = await Promise.all([
    findPrograms(process.platform, process.env.PATH ?? ''),
    createServerCertificate(clock.date()),
    hostParts(process.execPath),
    hostSettings(),
  ]);
  const node: Node = {
    name: shape().name,
    folder: join(folder, 'pods'),
    programs,
    pipes: await createFifoPool(folder, programs.mkfifo),
    host,
    settings,
    extraPath: /^\/(usr|bin)\//.test(process.execPath) ? '' : dirname(process.execPath),
    date: () => clock.date(),
  };
  const faults = createFaults(options.faults);
  const store = createStore();
  const admission = createAdmission(store, (resource, object) => {
    if (resource !== resources.pods) return undefined;
    const rule = faults.take(['refuse-pod'], 'admit-pod', object.metadata.name);
    if (rule?.by === 'pod-security')
      return rule.message ?? podSecurityRefusal('restricted', podOf(object).spec);
    return (
      rule && (rule.message ?? 'exceeded quota: fault, requested: pods=1, used: pods=1, limited: pods=1')
    );
  });
  const registry = createRegistry(store, clock, admission);
  const record = createEventRecorder(store, clock);
  const happenings = createHappenings(
    registry,
    () => kubelet,
    () => scheduler,
    clock,
  );
  const kubelet = createKubelet(node, registry, record, faults, clock, (pod) => {
    const rule = faults.take(['evict', 'oom', 'delete-pod', 'lose-node'], 'pod-running', pod.metadata.name);
    if (rule) happenings.happen(rule, pod);
  });
  const scheduler = createScheduler(registry, record, clock, {
    shape: shape(),
    nodeDelayMs: options.nodeDelayMs ?? 0,
    nodeHoldMs: options.nodeHoldMs ?? 10_000,
  });
  ends.push(
    async () => kubelet[Symbol.asyncDispose](),
    () => scheduler.stop(),
    happenings.stop,
    createGarbageCollector(registry),
    createJobController(registry, record, clock),
    createNamespaceController(registry),
  );
  fill(registry, options);
  const tokens = createTokens(clock);
  const execProtocols = options.execProtocols ?? ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
  const server = await startServer(certificate, (reset) => ({
    registry,
    tokens,
    faults,
    kubelet,
    clock,
    execProtocols,
    audit: options.audit ?? (() => {}),
    longestTokenSeconds: options.longestTokenSeconds,
    happen: happenings.happen,
    reset,
  }));
  ends.push(async () => server[Symbol.asyncDispose]());
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeKubeconfig(kubeconfigPath, server.url, certificate.authority, tokens.admin);
  return { kubeconfigPath, server: server.url, notices, faults };
}

const shape = (): NodeShape => ({
  name: 'embedded',
  labels: {
    'kubernetes.io/hostname': 'embedded',
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': process.arch === 'x64' ? 'amd64' : process.arch,
  },
  cpus: availableParallelism(),
  memoryBytes: totalmem(),
});

/** The objects that are there from the start. */
function fill(registry: Registry, { quota, podSecurity }: EmbeddedClusterOptions): void {
  for (const name of ['default', 'kube-system'])
    registry.create(resources.namespaces, undefined, {
      metadata: {
        name,
        ...(podSecurity && name === 'default' && { labels: { [enforceLabel]: podSecurity } }),
      },
    });
  if (quota)
    registry.create(resources.resourceQuotas, 'default', {
      metadata: { name: 'quota' },
      spec: { hard: { ...quota } },
    });
}
