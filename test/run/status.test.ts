import { expect, test } from 'vitest';
import { type ReasonCode, RunnerError, reasonCodes } from '../../src/base/errors.ts';
import type { StepVerdict } from '../../src/executor/executor.ts';
import { withTrouble } from '../../src/run/build-result.ts';
import { exitCodeOf, exitCodeOfError } from '../../src/run/exit-code.ts';
import type { RunResult } from '../../src/run/result-schema.ts';
import {
  allowsAlwaysSteps,
  type Ending,
  endingOf,
  endingOfStep,
  judgeStep,
  leavesPlaceStanding,
} from '../../src/run/status.ts';

const usage = { cpuMs: 1, peakMemoryBytes: 2, oomKilled: false };
const oom = { ...usage, oomKilled: true };
const exited = (exitCode: number, more = usage): StepVerdict => ({ kind: 'exited', exitCode, usage: more });
const stopped: StepVerdict = { kind: 'stopped', signal: 'KILL', exitCode: 137, usage };
const ending = (status: Ending['status'], code: ReasonCode): Ending => ({
  status,
  reason: { code, message: code },
});
const timeout = ending('timeout', 'StepTimeout');
const cancelled = ending('cancelled', 'Cancelled');
const unwritable = ending('error', 'LocalWriteFailed');

test.each([
  ['passes', exited(0), null, { status: 'success', exitCode: 0, reason: null, signal: null }],
  ['fails', exited(3), null, { status: 'failed', exitCode: 3, reason: { code: 'StepFailed' } }],
  [
    'fails for want of memory',
    exited(137, oom),
    null,
    { status: 'failed', exitCode: 137, reason: { code: 'OOMKilled' } },
  ],
  [
    'passes in spite of it',
    exited(0, oom),
    null,
    { status: 'success', reason: null, warning: expect.any(String) },
  ],
  ['passes just before its timeout', exited(0), timeout, { status: 'success', reason: null }],
  ['fails just before a cancel', exited(2), cancelled, { status: 'failed', exitCode: 2 }],
  [
    'passes, but its log is not whole',
    exited(0),
    unwritable,
    { status: 'error', exitCode: 0, reason: { code: 'LocalWriteFailed' } },
  ],
  [
    'takes too long',
    stopped,
    timeout,
    { status: 'timeout', exitCode: 137, signal: 'KILL', reason: { code: 'StepTimeout' } },
  ],
  ['is cancelled', stopped, cancelled, { status: 'cancelled', signal: 'KILL' }],
  ['is stopped by nobody', stopped, null, { status: 'error', reason: { code: 'ProtocolViolation' } }],
])('a step that %s', (_, verdict, stoppedBy, expected) => {
  expect(judgeStep('s', { kind: 'judged', verdict }, stoppedBy)).toMatchObject(expected);
});

test('a step without a verdict is never more than an error, and never has an exit code', () => {
  for (const code of reasonCodes) {
    const judged = judgeStep('s', { kind: 'broken', error: new RunnerError(code, 'm') }, null);
    expect(judged).toMatchObject({ exitCode: null, signal: null, reason: { code } });
    expect(judged.status).not.toBe('success');
  }
  const late = judgeStep('s', { kind: 'broken', error: new RunnerError('PodDeleted', 'm') }, timeout);
  expect(late).toMatchObject({ status: 'timeout', exitCode: null, reason: { code: 'StepTimeout' } });
});

test('only the three timeouts are timeouts, only a cancel is one, all else is an error', () => {
  const statuses = Object.fromEntries(
    reasonCodes.map((code) => [code, endingOf(new RunnerError(code, 'm')).status] as const),
  );
  const { ReadyTimeout, StepTimeout, RunTimeout, Cancelled, ...others } = statuses;
  expect([ReadyTimeout, StepTimeout, RunTimeout, Cancelled]).toEqual([
    'timeout',
    'timeout',
    'timeout',
    'cancelled',
  ]);
  expect(new Set(Object.values(others))).toEqual(new Set(['error']));
});

test.each([
  ['success', null, null, 0],
  ['failed', 'StepFailed', null, 1],
  ['failed', 'OOMKilled', 'interrupt', 1],
  ['timeout', 'ReadyTimeout', null, 4],
  ['error', 'Unauthorized', null, 3],
  ['error', 'CleanupFailed', 'interrupt', 3],
  ['error', 'BadInput', null, 2],
  ['cancelled', 'Cancelled', 'hang-up', 129],
  ['cancelled', 'Cancelled', 'interrupt', 130],
  ['cancelled', 'Cancelled', 'termination', 143],
  ['cancelled', 'Cancelled', 'elsewhere', 143],
  ['cancelled', 'Cancelled', null, 143],
] as const)('%s (%s, cancelled by %s) is exit code %i', (status, code, cause, exitCode) => {
  expect(exitCodeOf({ status, reason: code && { code, message: '' } }, cause)).toBe(exitCode);
});

test('an error before there is a run is 2 for bad input and 3 for the rest', () => {
  expect(exitCodeOfError(new RunnerError('BadInput', ''))).toBe(2);
  expect(exitCodeOfError(new RunnerError('Forbidden', ''))).toBe(3);
});

test('what a step means for its run', () => {
  const meaning = (verdict: StepVerdict, continueOnError: boolean, by: Ending | null = null) =>
    endingOfStep({ continueOnError }, judgeStep('s', { kind: 'judged', verdict }, by))?.status ?? null;
  expect(meaning(exited(0), false)).toBeNull();
  expect(meaning(exited(1), false)).toBe('failed');
  expect(meaning(exited(1), true)).toBeNull();
  expect(meaning(exited(137, oom), true)).toBeNull();
  expect(meaning(stopped, true, timeout)).toBe('timeout');
  expect(meaning(stopped, true, cancelled)).toBe('cancelled');
  expect(meaning(exited(0), true, unwritable)).toBe('error');
});

test('steps that always run do so after a failure or a step timeout only', () => {
  expect(allowsAlwaysSteps(ending('failed', 'StepFailed'))).toBe(true);
  expect(allowsAlwaysSteps(timeout)).toBe(true);
  expect(allowsAlwaysSteps(ending('timeout', 'RunTimeout'))).toBe(false);
  expect(allowsAlwaysSteps(cancelled)).toBe(false);
  expect(allowsAlwaysSteps(ending('error', 'ConnectionLost'))).toBe(false);
});

test('nothing is fetched from a place that is gone', () => {
  expect(leavesPlaceStanding(null)).toBe(true);
  expect(leavesPlaceStanding(ending('failed', 'OOMKilled'))).toBe(true);
  expect(leavesPlaceStanding(ending('error', 'OOMKilled'))).toBe(false);
  expect(leavesPlaceStanding(ending('error', 'PodDeleted'))).toBe(false);
  expect(leavesPlaceStanding(ending('error', 'ConnectionLost'))).toBe(false);
});

test('late trouble makes an error of a pass, and a warning for all else', () => {
  const result: Pick<RunResult, 'status' | 'reason' | 'warnings'> = {
    status: 'success',
    reason: null,
    warnings: [],
  };
  const whole: RunResult = {
    schemaVersion: 1,
    run: { id: '1', name: 'n', runner: null, image: 'i' },
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:00Z',
    durationMs: 0,
    steps: [],
    job: null,
    container: null,
    timings: { waitMs: 0, uploadMs: 0, stepsMs: 0, downloadMs: 0, cleanupMs: 0 },
    outputs: null,
    ...result,
  };
  const trouble = { code: 'LocalWriteFailed', message: 'disk full' } as const;
  expect(withTrouble(whole, trouble)).toMatchObject({ status: 'error', reason: trouble, warnings: [] });
  const failed: RunResult = { ...whole, status: 'failed', reason: { code: 'StepFailed', message: '' } };
  expect(withTrouble(failed, trouble)).toMatchObject({ status: 'failed', warnings: ['disk full'] });
});
