import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { resources } from '../api/resources.ts';
import type { Job, JobStatus } from '../store/job.ts';
import { hasCondition, isFinished, jobOf } from '../store/job.ts';
import type { KubeObject } from '../store/object.ts';
import type { Pod } from '../store/pod.ts';
import { podOf } from '../store/pod.ts';
import type { Registry } from '../store/registry.ts';
import type { EventText, RecordEvent } from './events.ts';
import { countPods, planJob, trackingFinalizer } from './job-status.ts';

/** Makes and counts the pods of Jobs; the name of the module that does it in a real cluster. */
const component = 'job-controller';

const firstRetryMs = 1000;
const lastRetryMs = 60_000;
const replacementMs = 10_000;

export function createJobController(registry: Registry, record: RecordEvent, clock: Clock): () => void {
  const { store } = registry;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each timer
  const due = new Set<string>();
  const retries = new Map<string, number>();
  const notBefore = new Map<string, number>();
  /** The deadline, in seconds, that each Job's alarm is set to; it may be changed later. */
  const alarms = new Map<string, number>();

  function later(uid: string, ms: number): void {
    clock.sleep(ms, stop.signal).then(
      () => queue(uid),
      () => {},
    );
  }

  function queue(uid: string): void {
    if (due.has(uid) || stop.signal.aborted) return;
    due.add(uid);
    setImmediate(() => {
      due.delete(uid);
      const object = store.list(resources.jobs).find(({ metadata }) => metadata.uid === uid);
      if (object && !stop.signal.aborted) sync(object);
    });
  }

  const podsOf = (job: KubeObject): Pod[] =>
    store
      .list(resources.pods, job.metadata.namespace)
      .filter((pod) =>
        pod.metadata.ownerReferences?.some((ref) => ref.controller && ref.uid === job.metadata.uid),
      )
      .map(podOf);

  function say(job: KubeObject, type: EventText['type'], reason: string, message: string): void {
    record(job, { type, reason, message, component });
  }

  function write(job: KubeObject, status: JobStatus): void {
    const { namespace, name } = job.metadata;
    registry.update(resources.jobs, namespace, name, (now) => ({ ...now, status }), { part: 'status' });
  }

  function sync(object: KubeObject): void {
    const job = jobOf(object);
    if (isFinished(job.status)) finish(object, job);
    else if (job.metadata.deletionTimestamp !== undefined) letGo(podsOf(object).filter(ended));
    else advance(object, job);
  }

  function advance(object: KubeObject, job: Job): void {
    const now = clock.date();
    const plan = planJob(job, podsOf(object), now);
    if (!isDeepStrictEqual(plan.status, job.status)) write(object, plan.status);
    alarm(job, plan.status);
    for (const pod of plan.remove) removePod(object, pod);
    if (hasCondition(plan.status, 'Suspended') && !hasCondition(job.status, 'Suspended'))
      say(object, 'Normal', 'Suspended', 'Job suspended');
    letGo(plan.release);
    const counted = countPods(plan.status, now);
    if (!isDeepStrictEqual(counted, plan.status)) write(object, counted);
    if (isFinished(counted)) announce(object, counted);
    else if ((counted.failed ?? 0) > (job.status.failed ?? 0)) {
      const wait = replacementMs * 2 ** Math.max(0, (counted.failed ?? 1) - 1);
      notBefore.set(job.metadata.uid, clock.now() + wait);
    }
    if (plan.create > 0) createPods(object, plan.create);
  }

  const ended = (pod: Pod): boolean => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';

  function alarm({ spec, metadata }: Job, status: JobStatus): void {
    const seconds = spec.activeDeadlineSeconds;
    if (status.startTime === undefined || seconds === undefined || alarms.get(metadata.uid) === seconds)
      return;
    alarms.set(metadata.uid, seconds);
    const end = Date.parse(status.startTime) + seconds * 1000;
    later(metadata.uid, Math.max(0, end - clock.date().getTime()));
  }

  function removePod(job: KubeObject, { metadata }: Pod): void {
    registry.delete(resources.pods, metadata.namespace, metadata.name, {
      preconditions: { uid: metadata.uid },
    });
    say(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${metadata.name}`);
  }

  function letGo(pods: readonly Pod[]): void {
    for (const { metadata } of pods) {
      const now = store.get(resources.pods, metadata.namespace, metadata.name);
      if (now?.metadata.uid !== metadata.uid || !now.metadata.finalizers?.includes(trackingFinalizer))
        continue;
      registry.update(resources.pods, metadata.namespace, metadata.name, (pod) => ({
        ...pod,
        metadata: {
          ...pod.metadata,
          finalizers: pod.metadata.finalizers?.filter((one) => one !== trackingFinalizer),
        },
      }));
    }
  }

  function announce(job: KubeObject, status: JobStatus): void {
    const failure = status.conditions?.find(({ type }) => type === 'Failed');
    if (failure) say(job, 'Warning', failure.reason ?? '', failure.message ?? '');
    else say(job, 'Normal', 'Completed', 'Job completed');
  }

  function finish(object: KubeObject, { spec, metadata, status }: Job): void {
    letGo(podsOf(object));
    const seconds = spec.ttlSecondsAfterFinished;
    const condition = status.conditions?.find(({ type }) => type === 'Failed' || type === 'Complete');
    if (seconds === undefined || metadata.deletionTimestamp !== undefined || !condition?.lastTransitionTime)
      return;
    const left = Date.parse(condition.lastTransitionTime) + seconds * 1000 - clock.date().getTime();
    if (left > 0) {
      later(metadata.uid, left);
      return;
    }
    const { namespace, name, uid } = metadata;
    registry.delete(resources.jobs, namespace, name, {
      propagationPolicy: 'Foreground',
      preconditions: { uid },
    });
  }

  function createPods(object: KubeObject, count: number): void {
    const { metadata, spec } = jobOf(object);
    const wait = (notBefore.get(metadata.uid) ?? 0) - clock.now();
    if (wait > 0) {
      later(metadata.uid, wait);
      return;
    }
    try {
      for (let made = 0; made < count; made += 1) {
        const pod = registry.create(resources.pods, metadata.namespace, {
          metadata: {
            ...spec.template.metadata,
            generateName: `${metadata.name}-`,
            namespace: metadata.namespace,
            finalizers: [trackingFinalizer],
            ownerReferences: [
              {
                apiVersion: 'batch/v1',
                kind: 'Job',
                name: metadata.name,
                uid: metadata.uid,
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
          spec: spec.template.spec,
        });
        say(object, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      }
      retries.delete(metadata.uid);
    } catch (error) {
      say(object, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
      const now = store.get(resources.jobs, metadata.namespace, metadata.name);
      if (now) {
        const { active: _, ...rest } = jobOf(now).status;
        const active = podsOf(now).length;
        write(now, { ...rest, ...(active > 0 && { active }) });
      }
      const ms = retries.get(metadata.uid) ?? firstRetryMs;
      retries.set(metadata.uid, Math.min(ms * 2, lastRetryMs));
      notBefore.set(metadata.uid, clock.now() + ms);
      later(metadata.uid, ms);
    }
  }

  const unsubscribe = store.subscribe(({ type, resource, object }) => {
    if (resource === resources.jobs && type !== 'DELETED') queue(object.metadata.uid);
    if (resource === resources.jobs && type === 'DELETED') {
      setImmediate(() =>
        letGo(
          store
            .list(resources.pods, object.metadata.namespace)
            .filter((pod) => pod.metadata.ownerReferences?.some((ref) => ref.uid === object.metadata.uid))
            .map(podOf),
        ),
      );
    }
    if (resource !== resources.pods) return;
    const owner = object.metadata.ownerReferences?.find((ref) => ref.controller && ref.kind === 'Job');
    if (owner) queue(owner.uid);
    else if (type !== 'DELETED' && object.metadata.finalizers?.includes(trackingFinalizer))
      setImmediate(() => letGo([podOf(object)])); // orphaned on purpose: nobody counts it any more
  });
  return () => {
    stop.abort();
    unsubscribe();
  };
}
