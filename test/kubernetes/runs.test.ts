import { describe, expect, test } from 'vitest';
import type { EventObject, JobObject, PodObject } from '../../src/executor/kubernetes/objects.ts';
import { diagnoseEnd } from '../../src/executor/kubernetes/pod-end.ts';
import { findLeftovers } from '../../src/executor/kubernetes/runs/leftovers.ts';
import { summarize } from '../../src/executor/kubernetes/runs/run-summary.ts';

type Condition = NonNullable<NonNullable<JobObject['status']>['conditions']>[number];

const condition = (type: string, reason: string, message = 'said so'): Condition => ({
  type,
  status: 'True',
  reason,
  message,
});

const job = (conditions: Condition[] = [], metadata: Partial<JobObject['metadata']> = {}): JobObject => ({
  metadata: {
    name: 'knotless-build-1',
    uid: 'job-uid',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'knotless-runner-k8s/run': 'id-1' },
    annotations: { 'knotless-runner-k8s/run-name': 'build', 'knotless-runner-k8s/runner': 'did:plc:a' },
    ...metadata,
  },
  spec: { ttlSecondsAfterFinished: 300 },
  status: { conditions },
});

const pod = (
  status: PodObject['status'],
  metadata: Partial<PodObject['metadata']> = {},
  nodeName: string | undefined = 'node-1',
): PodObject => ({
  metadata: {
    name: 'knotless-build-1-x',
    uid: 'pod-uid',
    labels: { 'knotless-runner-k8s/run': 'id-1' },
    ownerReferences: [{ uid: 'job-uid', kind: 'Job' }],
    ...metadata,
  },
  spec: nodeName === undefined ? {} : { nodeName },
  status,
});

const running = pod({ phase: 'Running', containerStatuses: [{ name: 'run', state: { running: {} } }] });
const unscheduled = pod(
  {
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node fits' }],
  },
  {},
  '',
);
const noQuota: EventObject = {
  metadata: { name: 'e', uid: 'e' },
  involvedObject: { kind: 'Job', uid: 'job-uid' },
  reason: 'FailedCreate',
  message: 'exceeded quota: q',
};

describe('a run as ls shows it', () => {
  test.each<[string, JobObject, PodObject[], EventObject[], object]>([
    ['no pod yet', job(), [], [], { status: 'Waiting', reason: 'Creating', pod: null, node: null }],
    [
      'no room in the quota',
      job(),
      [],
      [noQuota],
      { status: 'Waiting', reason: 'FailedCreate', message: 'exceeded quota: q' },
    ],
    [
      'no node',
      job(),
      [unscheduled],
      [],
      { status: 'Waiting', reason: 'Unschedulable', message: 'no node fits' },
    ],
    ['a pod that runs', job(), [running], [], { status: 'Running', reason: null, node: 'node-1' }],
    [
      "another Job's pod",
      job(),
      [pod(running.status, { ownerReferences: [{ uid: 'other', kind: 'Job' }] })],
      [],
      { status: 'Waiting', pod: null },
    ],
    [
      'a pod that is being deleted',
      job(),
      [pod(running.status, { deletionTimestamp: '2026-01-01T00:00:01Z' })],
      [],
      { status: 'Ending', reason: null },
    ],
    [
      'a Job that is being cancelled',
      job([], {
        deletionTimestamp: '2026-01-01T00:00:01Z',
        annotations: { 'knotless-runner-k8s/cancelled-by': 'ada' },
      }),
      [running],
      [],
      { status: 'Ending', reason: 'Cancelled', message: 'ada' },
    ],
    [
      'a Job that is about to be cancelled',
      job([], { annotations: { 'knotless-runner-k8s/cancelled-by': 'ada' } }),
      [running],
      [],
      { status: 'Ending', reason: 'Cancelled', message: 'ada' },
    ],
    [
      'the deadline',
      job([condition('Failed', 'DeadlineExceeded')]),
      [],
      [],
      { status: 'Failed', reason: 'DeadlineExceeded' },
    ],
    [
      'an eviction',
      job([condition('Failed', 'BackoffLimitExceeded')]),
      [pod({ phase: 'Failed', reason: 'Evicted', message: 'low on disk' })],
      [],
      { status: 'Failed', reason: 'Evicted' },
    ],
    [
      'a Job that completed',
      job([condition('Complete', 'CompletionsReached')]),
      [],
      [],
      { status: 'Complete' },
    ],
  ])('%s', (_, of, pods, events, shown) => {
    expect(summarize({ job: of, pods, events })).toMatchObject({
      id: 'id-1',
      job: 'knotless-build-1',
      kept: false,
      ...shown,
    });
  });

  test('its name is exact, and null where the annotation is gone', () => {
    const named = (annotations: Record<string, string>) =>
      summarize({ job: job([], { annotations }), pods: [], events: [] }).name;
    expect(named({ 'knotless-runner-k8s/run-name': ' My\tbuild! ' })).toBe(' My\tbuild! ');
    expect(named({})).toBeNull();
  });

  test('a Job without a TTL is one of --keep', () => {
    expect(summarize({ job: { ...job(), spec: {} }, pods: [], events: [] }).kept).toBe(true);
  });
});

describe('what prune takes', () => {
  const policy = (run: string, metadata: object = {}) => ({
    metadata: {
      name: `policy-${run}`,
      uid: `uid-${run}`,
      labels: { 'knotless-runner-k8s/run': run },
      ...metadata,
    },
  });

  test.each<[string, JobObject, string | undefined]>([
    ['a live Job', job(), undefined],
    ['a Job that was suspended by somebody', job([condition('Suspended', 'JobSuspended')]), undefined],
    [
      'a Job that is being deleted',
      job([condition('Failed', 'x')], { deletionTimestamp: '2026-01-01T00:00:01Z' }),
      undefined,
    ],
    ['a condition that does not hold', job([{ ...condition('Failed', 'x'), status: 'False' }]), undefined],
    [
      'a Job that failed',
      job([condition('Failed', 'BackoffLimitExceeded')]),
      'failed: BackoffLimitExceeded: said so',
    ],
    [
      'a Job whose pod a lost node keeps',
      job([condition('FailureTarget', 'DeadlineExceeded')]),
      'failed: DeadlineExceeded: said so',
    ],
    ['a Job that completed', job([condition('Complete', '', '')]), 'complete'],
  ])('%s', (_, seen, why) => {
    const found = findLeftovers({ jobs: [seen], networkPolicies: [], pods: [running] });
    expect(found.map((one) => one.why)).toEqual(why === undefined ? [] : [why]);
  });

  test('a policy whose pod is gone, and no other', () => {
    const found = findLeftovers({
      jobs: [],
      networkPolicies: [
        policy('id-1'),
        policy('id-2'),
        policy('id-3', { deletionTimestamp: '2026-01-01T00:00:01Z' }),
      ],
      pods: [running],
    });
    expect(found).toEqual([
      { kind: 'NetworkPolicy', name: 'policy-id-2', uid: 'uid-id-2', run: null, why: 'its pod is gone' },
    ]);
  });
});

test('a Job that says so and goes was cancelled, whatever its pod shows; while it stays, nothing is over yet', () => {
  const metadata = { annotations: { 'knotless-runner-k8s/cancelled-by': 'ada@laptop' } };
  const deletionTimestamp = '2026-01-01T00:00:01Z';
  for (const seen of [undefined, running, pod({ phase: 'Failed' })]) {
    expect(diagnoseEnd(job([], { ...metadata, deletionTimestamp }), seen)).toMatchObject({
      code: 'Cancelled',
      message: 'the run was cancelled from elsewhere, by ada@laptop',
    });
  }
  expect(diagnoseEnd(job([], metadata), running)).toBeUndefined();
  expect(diagnoseEnd(job([], metadata), pod(running.status, { deletionTimestamp }))).toMatchObject({
    code: 'Cancelled',
  });
});
