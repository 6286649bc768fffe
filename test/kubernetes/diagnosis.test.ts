import { describe, expect, test } from 'vitest';
import { diagnose, type Sighting } from '../../src/executor/kubernetes/diagnosis.ts';
import type { EventObject, JobObject, PodObject } from '../../src/executor/kubernetes/objects.ts';

const job: JobObject = { metadata: { name: 'j', uid: 'ju' } };
const failedJob = (reason: string): JobObject => ({
  ...job,
  status: { conditions: [{ type: 'Failed', status: 'True', reason, message: 'said so' }] },
});
const pod = (
  status: PodObject['status'],
  metadata: Partial<PodObject['metadata']> = {},
  nodeName = 'n1',
): PodObject => ({
  metadata: { name: 'j-x', uid: 'pu', ...metadata },
  spec: { nodeName },
  status,
});
type State = NonNullable<NonNullable<PodObject['status']>['containerStatuses']>[number]['state'];
const container = (state: NonNullable<State>, phase = 'Pending') =>
  pod({ phase, containerStatuses: [{ name: 'sidecar' }, { name: 'run', state }] });
const waiting = (reason: string, message = 'the words') => container({ waiting: { reason, message } });
const ended = (exitCode: number, reason = 'Error', message = '') =>
  container({ terminated: { exitCode, reason, message } }, 'Failed');
const event = (kind: string, reason: string, message: string): EventObject => ({
  metadata: { name: 'e', uid: 'eu' },
  involvedObject: { kind, uid: kind === 'Job' ? 'ju' : 'pu' },
  reason,
  message,
});
const see = (sighting: Partial<Sighting>) =>
  diagnose({ job, pod: undefined, events: [], unchangedMs: 0, ...sighting });

describe('while a run waits', () => {
  test('it tells the most telling word', () => {
    const unscheduled = pod(
      {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' },
        ],
      },
      {},
      '',
    );
    expect(see({})).toMatchObject({ kind: 'waiting' });
    expect(see({ pod: unscheduled })).toMatchObject({
      word: { reason: 'Unschedulable', message: '0/1 nodes' },
    });
    expect(see({ pod: unscheduled, events: [event('Pod', 'TriggeredScaleUp', 'pool 0->1')] })).toMatchObject({
      word: { reason: 'TriggeredScaleUp', message: 'pool 0->1 (0/1 nodes)' },
    });
    expect(
      see({ pod: waiting('ContainerCreating'), events: [event('Pod', 'FailedMount', 'no secret')] }),
    ).toMatchObject({
      word: { reason: 'FailedMount', message: 'no secret' },
    });
    expect(see({ pod: waiting('ImagePullBackOff') })).toMatchObject({
      kind: 'waiting',
      word: { reason: 'ImagePullBackOff' },
    });
  });

  test('a quota that may have room later is waited for', () => {
    const message =
      'pods "j-x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2';
    expect(see({ events: [event('Job', 'FailedCreate', message)] })).toMatchObject({ kind: 'waiting' });
  });

  test.each<[string, Partial<Sighting>, string]>([
    [
      'a quota that can never hold the pod',
      {
        events: [
          event(
            'Job',
            'FailedCreate',
            'is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
          ),
        ],
      },
      'QuotaExceeded',
    ],
    [
      'a quota that wants limits',
      { events: [event('Job', 'FailedCreate', 'is forbidden: failed quota: q: must specify limits.memory')] },
      'QuotaExceeded',
    ],
    [
      'PodSecurity',
      { events: [event('Job', 'FailedCreate', 'is forbidden: violates PodSecurity "restricted:latest"')] },
      'AdmissionRejected',
    ],
    [
      'an admission webhook',
      { events: [event('Job', 'FailedCreate', 'admission webhook "x" denied the request: no')] },
      'AdmissionRejected',
    ],
    [
      'a LimitRange',
      {
        events: [
          event('Job', 'FailedCreate', 'pods "j" is forbidden: maximum memory usage per Container is 1Gi'),
        ],
      },
      'AdmissionRejected',
    ],
    ['a bad image name', { pod: waiting('InvalidImageName') }, 'InvalidImage'],
    ['an image that may not be pulled', { pod: waiting('ErrImageNeverPull') }, 'ImagePull'],
    ['a pull that goes on failing', { pod: waiting('ImagePullBackOff'), unchangedMs: 60_000 }, 'ImagePull'],
    [
      'a missing Secret',
      { pod: waiting('CreateContainerConfigError'), unchangedMs: 20_000 },
      'ContainerConfig',
    ],
    [
      'no sh in the image',
      { pod: waiting('RunContainerError', 'exec: "sh": executable file not found in $PATH') },
      'UnsuitableImage',
    ],
    [
      'an autoscaler that stays at its no',
      { pod: pod({}, {}, ''), events: [event('Pod', 'NotTriggerScaleUp', 'no group')], unchangedMs: 120_000 },
      'Unschedulable',
    ],
  ])('%s ends it', (_, sighting, code) => {
    expect(see(sighting)).toMatchObject({
      kind: 'over',
      error: { code, message: expect.stringMatching(/./) },
    });
  });
});

test('the event of our own container tells first that it runs', () => {
  const started = (fieldPath: string): EventObject => {
    const told = event('Pod', 'Started', 'Container started');
    return { ...told, involvedObject: { ...told.involvedObject, fieldPath } };
  };
  const creating = waiting('ContainerCreating');
  expect(see({ pod: creating, events: [started('spec.containers{run}')] })).toEqual({ kind: 'running' });
  expect(see({ pod: creating, events: [started('spec.containers{istio-proxy}')] })).toMatchObject({
    kind: 'waiting',
  });
  expect(see({ pod: ended(1), events: [started('spec.containers{run}')] })).toMatchObject({ kind: 'over' });
});

test('our own container counts, whatever a sidecar does', () => {
  expect(see({ pod: container({ running: {} }, 'Running') })).toEqual({ kind: 'running' });
  const crashed = pod({
    phase: 'Running',
    containerStatuses: [
      { name: 'sidecar', state: { terminated: { exitCode: 1 } } },
      { name: 'run', state: { running: {} } },
    ],
  });
  expect(see({ pod: crashed })).toEqual({ kind: 'running' });
});

describe('the end of a pod', () => {
  const leaving = { deletionTimestamp: 'now' };
  test.each<[string, Partial<Sighting>, string]>([
    ['out of memory', { pod: ended(137, 'OOMKilled') }, 'OOMKilled'],
    ['evicted', { pod: pod({ phase: 'Failed', reason: 'Evicted', message: 'low on disk' }) }, 'Evicted'],
    [
      'evicted by the API',
      {
        pod: pod(
          { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
          leaving,
        ),
      },
      'Evicted',
    ],
    [
      'preempted',
      {
        pod: pod(
          { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
          leaving,
        ),
      },
      'Evicted',
    ],
    [
      'node gone',
      {
        pod: pod(
          { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' }] },
          leaving,
        ),
      },
      'NodeLost',
    ],
    [
      'node tainted',
      {
        pod: pod(
          { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }] },
          leaving,
        ),
      },
      'NodeLost',
    ],
    ['deleted', { pod: pod({ phase: 'Running' }, leaving) }, 'PodDeleted'],
    [
      'deleted and ended',
      { pod: { ...ended(143), metadata: { name: 'j-x', uid: 'pu', ...leaving } } },
      'PodDeleted',
    ],
    ['Job deleted', { job: { metadata: { ...job.metadata, ...leaving } } }, 'PodDeleted'],
    [
      'deadline',
      { job: failedJob('DeadlineExceeded'), pod: pod({ phase: 'Running' }, leaving) },
      'DeadlineExceeded',
    ],
    ['lease', { pod: ended(75) }, 'ConnectionLost'],
    [
      'no sh',
      { pod: ended(128, 'StartError', 'exec: "sh": executable file not found in $PATH: unknown') },
      'UnsuitableImage',
    ],
    ['crashed', { pod: ended(1) }, 'PodFailed'],
    ['Job failed otherwise', { job: failedJob('BackoffLimitExceeded') }, 'PodFailed'],
  ])('%s', (_, sighting, code) => {
    expect(see(sighting)).toMatchObject({
      kind: 'over',
      error: { code, message: expect.stringMatching(/./) },
    });
  });
});
