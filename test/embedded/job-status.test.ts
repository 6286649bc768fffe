import { expect, test } from 'vitest';
import type { JobPlan } from '../../src/embedded/controllers/job-status.ts';
import { countPods, planJob, trackingFinalizer } from '../../src/embedded/controllers/job-status.ts';
import type { Job, JobStatus } from '../../src/embedded/store/job.ts';
import { jobOf } from '../../src/embedded/store/job.ts';
import type { Pod } from '../../src/embedded/store/pod.ts';
import { podOf } from '../../src/embedded/store/pod.ts';

const now = new Date('2026-01-01T00:00:10Z');
const metadata = (name: string, rest: object = {}) => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  ...rest,
});

const job = (spec: object = {}, status: JobStatus = {}): Job =>
  jobOf({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata('job'),
    spec: { backoffLimit: 0, podReplacementPolicy: 'Failed', template: { spec: {} }, ...spec },
    status,
  });

const pod = (name: string, phase: string, rest: object = {}): Pod =>
  podOf({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(name, { finalizers: [trackingFinalizer], ...rest }),
    spec: {},
    status: { phase, ...(phase === 'Running' && { conditions: [{ type: 'Ready', status: 'True' }] }) },
  });

const started = { startTime: '2026-01-01T00:00:00Z' };
const types = (status: JobStatus): string[] =>
  (status.conditions ?? []).map(({ type, reason }) => `${type}/${reason}`);
const names = (pods: JobPlan['remove']): string[] => pods.map(({ metadata: { name } }) => name);

test('a new Job starts and wants one pod', () => {
  const plan = planJob(job(), [], now);
  expect(plan.create).toBe(1);
  expect(plan.status).toEqual({
    startTime: '2026-01-01T00:00:10Z',
    active: 1,
    terminating: 0,
    uncountedTerminatedPods: {},
    ready: 0,
  });
});

test('a running pod is active and ready', () => {
  const plan = planJob(job({}, started), [pod('a', 'Running')], now);
  expect(plan).toMatchObject({ create: 0, status: { active: 1, ready: 1, terminating: 0 } });
});

test('a failed pod ends the Job in the real order', () => {
  const plan = planJob(job({}, started), [pod('a', 'Failed')], now);
  expect(types(plan.status)).toEqual(['FailureTarget/BackoffLimitExceeded']);
  expect(plan.status.uncountedTerminatedPods).toEqual({ failed: ['uid-a'] });
  expect(plan.status.failed).toBeUndefined();
  const counted = countPods(plan.status, now);
  expect(types(counted)).toEqual(['FailureTarget/BackoffLimitExceeded', 'Failed/BackoffLimitExceeded']);
  expect(counted).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
});

test('a succeeded pod completes it', () => {
  const counted = countPods(planJob(job({}, started), [pod('a', 'Succeeded')], now).status, now);
  expect(types(counted)).toEqual(['SuccessCriteriaMet/CompletionsReached', 'Complete/CompletionsReached']);
  expect(counted).toMatchObject({ succeeded: 1, completionTime: '2026-01-01T00:00:10Z' });
});

test('past the deadline the pod is deleted, and the Job fails once it is gone', () => {
  const late = job({ activeDeadlineSeconds: 10 }, started);
  const plan = planJob(late, [pod('a', 'Running')], now);
  expect(names(plan.remove)).toEqual(['a']);
  const counted = countPods(plan.status, now);
  expect(types(counted)).toEqual(['FailureTarget/DeadlineExceeded']);
  expect(counted).toMatchObject({ failed: 1, terminating: 1 });
  const gone = countPods(planJob(job({ activeDeadlineSeconds: 10 }, counted), [], now).status, now);
  expect(types(gone)).toEqual(['FailureTarget/DeadlineExceeded', 'Failed/DeadlineExceeded']);
});

test('a pod that is being deleted is replaced only when it has failed', () => {
  const ending = pod('a', 'Running', { deletionTimestamp: '2026-01-01T00:00:09Z' });
  const waiting = planJob(job({ backoffLimit: 3 }, started), [ending], now);
  expect(waiting).toMatchObject({ create: 0, status: { terminating: 1 } });
  const eager = job({ backoffLimit: 3, podReplacementPolicy: 'TerminatingOrFailed' }, started);
  expect(planJob(eager, [ending], now)).toMatchObject({
    create: 1,
    status: { uncountedTerminatedPods: { failed: ['uid-a'] } },
  });
});

test('a suspended Job has no pods and no start', () => {
  const plan = planJob(job({ suspend: true }, started), [pod('a', 'Running')], now);
  expect(names(plan.remove)).toEqual(['a']);
  expect(plan.status.startTime).toBeUndefined();
  expect(types(plan.status)).toEqual(['Suspended/JobSuspended']);
});
