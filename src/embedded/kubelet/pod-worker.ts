import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { EventText } from '../controllers/events.ts';
import type { Condition, Container, Pod, PodVolume } from '../store/pod.ts';
import type { RunningContainer } from './container.ts';
import { StartError, startContainer } from './container.ts';
import type { ContainerLog } from './container-log.ts';
import { imageNameFault } from './image.ts';
import type { Node } from './node.ts';
import type { ContainerRecord, ContainerState, PodRecord } from './pod-status.ts';
import { identityOf } from './privileges.ts';
import { removeTree } from './remove-tree.ts';
import type { Mount } from './root-spec.ts';
import { volumeMounts } from './root-spec.ts';

/** What a pod's worker tells and asks. */
export interface WorkerHost {
  readonly node: Node;
  readonly clock: Clock;
  /** The pod's state changed; its status is to be written. */
  report(record: PodRecord): void;
  event(event: Omit<EventText, 'component'>): void;
  /** A failure that a fault rule wants in place of the image. */
  pullFailure(): string | undefined;
}

/** Looks after the processes of one pod, from its first container to its last. */
export interface PodWorker {
  readonly record: PodRecord;
  container(name: string): RunningContainer | undefined;
  log(name: string): ContainerLog | undefined;
  /** TERM, and KILL after `graceMs`; resolves when all processes are gone. May be called again, with less grace. */
  stop(graceMs: number): Promise<void>;
  /** Ends the pod as failed for a reason of the node's. */
  end(reason: string, message: string, condition?: Condition): Promise<void>;
  killForMemory(): void;
  /** Stops at once and removes what the pod left on the disk. */
  remove(): Promise<void>;
}

const restartDelayMs = 10_000;

/** Starts the pod. Everything after that is reported. */
export function startPod(pod: Pod, podIP: string, host: WorkerHost): PodWorker {
  const { node, clock } = host;
  const folder = join(node.folder, pod.metadata.uid);
  const running = new Map<string, RunningContainer>();
  const logs = new Map<string, ContainerLog>();
  const stopping = new AbortController();
  let record: PodRecord = {
    containers: pod.spec.containers.map((spec) => ({
      spec,
      state: { kind: 'waiting', reason: 'ContainerCreating' },
      restarts: 0,
    })),
    startTime: clock.date(),
    hostIP: '127.0.0.1',
    podIP: undefined,
  };

  function change(name: string, update: (one: ContainerRecord) => ContainerRecord): void {
    record = {
      ...record,
      containers: record.containers.map((one) => (one.spec.name === name ? update(one) : one)),
    };
    host.report(record);
  }
  const setState = (name: string, state: ContainerState): void => change(name, (one) => ({ ...one, state }));

  async function run(spec: Container, volumes: readonly Mount[], attempt: number): Promise<void> {
    const id = `embedded://${randomBytes(32).toString('hex')}`;
    const about = { container: spec.name };
    host.event({ ...about, type: 'Normal', reason: 'Created', message: `Created container: ${spec.name}` });
    const request = {
      pod: pod.spec,
      spec,
      hostname: pod.metadata.name.slice(0, 63),
      folder: join(folder, 'containers', `${spec.name}-${attempt}`),
      volumes,
      signal: stopping.signal,
    };
    const startedAt = clock.date();
    let container: RunningContainer;
    try {
      await mkdir(request.folder, { recursive: true });
      container = await startContainer(request, node);
    } catch (error) {
      const why = error instanceof StartError ? error.message : messageOf(error);
      const message = `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${why}`;
      host.event({ ...about, type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
      const finishedAt = clock.date();
      setState(spec.name, {
        kind: 'terminated',
        exitCode: 128,
        reason: 'StartError',
        message,
        startedAt: new Date(0),
        finishedAt,
        id,
      });
      return;
    }
    running.set(spec.name, container);
    logs.set(spec.name, container.log);
    host.event({ ...about, type: 'Normal', reason: 'Started', message: `Started container ${spec.name}` });
    setState(spec.name, { kind: 'running', startedAt, id });
    if (stopping.signal.aborted) container.signal('SIGKILL');
    const { exitCode, oomKilled } = await container.exit;
    const reason = oomKilled ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error';
    setState(spec.name, { kind: 'terminated', exitCode, reason, startedAt, finishedAt: clock.date(), id });
  }

  async function keep(spec: Container, volumes: readonly Mount[]): Promise<void> {
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      await run(spec, volumes, attempt);
      const state = record.containers.find((one) => one.spec.name === spec.name)?.state;
      const failed = state?.kind === 'terminated' && state.exitCode !== 0;
      const again = pod.spec.restartPolicy === 'Always' || (pod.spec.restartPolicy === 'OnFailure' && failed);
      if (!again || stopping.signal.aborted) return;
      const message = `back-off 10s restarting failed container=${spec.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      host.event({
        container: spec.name,
        type: 'Warning',
        reason: 'BackOff',
        message: `Back-off restarting failed container ${spec.name} in pod ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
      });
      change(spec.name, (one) => ({
        ...one,
        last: one.state,
        restarts: one.restarts + 1,
        state: { kind: 'waiting', reason: 'CrashLoopBackOff', message },
      }));
      await clock.sleep(restartDelayMs, stopping.signal).catch(() => {});
      if (stopping.signal.aborted) return;
    }
  }

  /** What keeps a container waiting for ever, or undefined. */
  function obstacle(spec: Container): { reason: string; message: string } | undefined {
    const name = imageNameFault(spec.image);
    if (name !== undefined) {
      host.event({ container: spec.name, type: 'Warning', reason: 'InspectFailed', message: name });
      return { reason: 'InvalidImageName', message: name };
    }
    const pull = host.pullFailure();
    if (pull !== undefined) {
      const pulling = { container: spec.name, type: 'Normal', reason: 'Pulling' } as const;
      host.event({ ...pulling, message: `Pulling image "${spec.image}"` });
      const failed = { container: spec.name, type: 'Warning', reason: 'Failed' } as const;
      host.event({ ...failed, message: `Failed to pull image "${spec.image}": ${pull}` });
      host.event({ ...failed, message: 'Error: ErrImagePull' });
      return { reason: 'ErrImagePull', message: pull };
    }
    const nonRoot = spec.securityContext?.runAsNonRoot ?? pod.spec.securityContext?.runAsNonRoot;
    if (nonRoot && identityOf(spec, pod.spec).uid === 0) {
      const message = `container has runAsNonRoot and image will run as root (pod: "${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})", container: ${spec.name})`;
      host.event({ container: spec.name, type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
      return { reason: 'CreateContainerConfigError', message };
    }
    return undefined;
  }

  async function begin(): Promise<void> {
    const odd = (pod.spec.volumes ?? []).find((volume) => !volume.emptyDir);
    if (odd) {
      const message = `MountVolume.SetUp failed for volume "${odd.name}" : the embedded cluster serves emptyDir volumes only`;
      host.event({ type: 'Warning', reason: 'FailedMount', message });
      host.report(record);
      return;
    }
    host.report(record);
    const folders = await makeVolumes(pod, folder);
    record = { ...record, podIP };
    const starting = pod.spec.containers.map(async (spec) => {
      const wrong = obstacle(spec);
      if (wrong) {
        setState(spec.name, { kind: 'waiting', ...wrong });
        if (wrong.reason === 'ErrImagePull') await backOff(spec, wrong.message);
        return;
      }
      const message = `Image "${spec.image}" is not pulled in the embedded cluster: the pod is made of this machine's own programs`;
      host.event({ container: spec.name, type: 'Normal', reason: 'Pulled', message });
      await keep(
        spec,
        volumeMounts(spec, pod.spec.volumes ?? [], (volume) => folders.get(volume.name)),
      );
    });
    await Promise.all(starting);
  }

  async function backOff(spec: Container, why: string): Promise<void> {
    await clock.sleep(1000, stopping.signal).catch(() => {});
    if (stopping.signal.aborted) return;
    const text = `Back-off pulling image "${spec.image}"`;
    host.event({ container: spec.name, type: 'Normal', reason: 'BackOff', message: text });
    host.event({
      container: spec.name,
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ImagePullBackOff',
    });
    setState(spec.name, {
      kind: 'waiting',
      reason: 'ImagePullBackOff',
      message: `${text}: ErrImagePull: ${why}`,
    });
  }

  // Not before the caller has this worker at hand: reports lead back to it.
  const life = Promise.resolve()
    .then(begin)
    .catch((error: unknown) => {
      host.event({ type: 'Warning', reason: 'FailedCreatePodSandBox', message: messageOf(error) });
    });

  async function stop(graceMs: number): Promise<void> {
    const first = !stopping.signal.aborted;
    stopping.abort();
    const left = [...running.values()].filter((container) => container.running);
    for (const container of left) {
      if (first)
        host.event({
          container: container.spec.name,
          type: 'Normal',
          reason: 'Killing',
          message: `Stopping container ${container.spec.name}`,
        });
      container.signal(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    }
    const timer = new AbortController();
    const late = clock.sleep(graceMs, timer.signal).then(
      () => {
        for (const container of running.values()) container.signal('SIGKILL');
      },
      () => {},
    );
    await life;
    timer.abort();
    await late;
  }

  return {
    get record() {
      return record;
    },
    container: (name) => {
      const found = running.get(name);
      return found?.running ? found : undefined;
    },
    log: (name) => logs.get(name),
    stop,
    async end(reason, message, condition) {
      record = { ...record, ended: { reason, message, ...(condition && { condition }) } };
      await stop(0);
      host.report(record);
    },
    killForMemory() {
      for (const container of running.values()) if (container.running) container.killForMemory();
    },
    async remove() {
      await stop(0);
      await removeTree(folder);
    },
  };
}

/** The folders of the volumes that are not in memory, writable for any user. */
async function makeVolumes(pod: Pod, folder: string): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  // Memory is mounted by the container that uses it; where several share it, it has to be a folder.
  const inMemory = (volume: PodVolume): boolean =>
    volume.emptyDir?.medium === 'Memory' && pod.spec.containers.length === 1;
  for (const volume of pod.spec.volumes ?? []) {
    if (inMemory(volume)) continue;
    const path = join(folder, 'volumes', volume.name);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
    folders.set(volume.name, path);
  }
  return folders;
}
