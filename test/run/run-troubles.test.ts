import { expect, test } from 'vitest';
import { type ReasonCode, RunnerError } from '../../src/base/errors.ts';
import { exitCodeOf } from '../../src/run/exit-code.ts';
import { type Interventions, LocalExecutor } from './support/local-executor.ts';
import { RunFixture, step } from './support/run-fixture.ts';

const lost =
  (code: ReasonCode = 'ConnectionLost') =>
  (): never => {
    throw new RunnerError(code, `injected ${code}`);
  };
const writesOutput = step('one', 'echo out; echo x >"$ROOT/outputs/x"');
const steps = [writesOutput, step('two', 'echo two')];

/** One run with an executor that fails as told. */
async function runWith(fixture: RunFixture, interventions: Interventions, list = steps) {
  fixture.executor = new LocalExecutor(interventions);
  return fixture.run(list, {
    outputs: { folder: fixture.path('out'), collect: [], maxBytes: 1e6, maxFiles: 100 },
    sharedSteps: import.meta.dirname,
  });
}

test.each([
  ['Forbidden', 'error', 3],
  ['Unschedulable', 'error', 3],
  ['ReadyTimeout', 'timeout', 4],
  ['Cancelled', 'cancelled', 143],
] as const)('a place that does not come up (%s)', async (code, status, exitCode) => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, { open: lost(code) });
  expect(result).toMatchObject({ status, reason: { code, message: `injected ${code}` }, job: null });
  expect(result.outputs).toEqual({ files: 0, bytes: 0, complete: false });
  expect(result.steps.map((one) => one.status)).toEqual(['skipped', 'skipped']);
  expect(exitCodeOf(result, null)).toBe(exitCode);
  expect(fixture.executor.calls).toEqual(['open']);
  expect(fixture.result()).toEqual(result);
  expect(fixture.log()).toHaveLength(0);
});

test('a place that was made and then did not come up is in the result', async () => {
  using fixture = new RunFixture();
  const place = { kind: 'job', namespace: 'n', name: 'j', uid: 'u', pod: null, node: null } as const;
  const result = await runWith(fixture, {
    open: (observer) => {
      observer.place(place);
      throw new RunnerError('ImagePull', 'no such image');
    },
  });
  const { kind, ...job } = place;
  expect(result).toMatchObject({ status: 'error', job: { ...job, kept: false, deleted: true } });
});

test('an upload that fails leaves no step running and the place removed', async () => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, { send: lost('UploadFailed') });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'UploadFailed' }, job: { deleted: true } });
  expect(fixture.executor.calls).toEqual(['open', 'send', 'close']);
});

test('trouble in a step is that step`s error; what follows is skipped; outputs are fetched', async () => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, {}, [
    writesOutput,
    step('breaks', 'echo partial'),
    step('always', 'true', { always: true }),
  ]);
  expect(result.status).toBe('success');
  using second = new RunFixture();
  const broken = await runWith(
    second,
    {
      verdict: (request, verdict) => {
        if (request.name === 'breaks') lost('LogIncomplete')();
        return verdict;
      },
    },
    [writesOutput, step('breaks', 'echo partial'), step('always', 'true', { always: true })],
  );
  expect(broken).toMatchObject({
    status: 'error',
    reason: { code: 'LogIncomplete' },
    steps: [
      { status: 'success' },
      { status: 'error', exitCode: null, reason: { code: 'LogIncomplete' } },
      { status: 'skipped' },
    ],
    outputs: { files: 1, complete: true },
  });
  expect(second.log().toString()).toBe('=== step one\nout\n=== step breaks\npartial\n');
});

test('an unknown fault of the executor is an internal error, and the place goes', async () => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, {
    step: () => {
      throw new TypeError('cannot read properties of undefined');
    },
  });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'Internal' }, job: { deleted: true } });
});

test('nothing is fetched when the pod is gone', async () => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, { step: lost('PodDeleted') });
  expect(result).toMatchObject({ status: 'error', outputs: { complete: false } });
  expect(fixture.executor.calls).toEqual(['open', 'send', 'step one', 'close']);
});

test('passed steps with incomplete outputs are an error, a failed step stays failed', async () => {
  using fixture = new RunFixture();
  const passed = await runWith(fixture, { fetch: lost() });
  expect(passed).toMatchObject({
    status: 'error',
    reason: { code: 'OutputsIncomplete' },
    outputs: { complete: false },
  });
  expect(exitCodeOf(passed, null)).toBe(3);
  using second = new RunFixture();
  const failed = await runWith(second, { fetch: lost() }, [step('fail', 'exit 9')]);
  expect(failed).toMatchObject({ status: 'failed', outputs: { complete: false } });
  expect(failed.warnings.join()).toContain('could not be fetched');
});

test('an archive that ends too early is not complete', async () => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, {
    fetched: (archive) => ({
      ...archive,
      bytes: (async function* () {
        for await (const chunk of archive.bytes) yield chunk.subarray(0, 600);
      })(),
    }),
  });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'OutputsIncomplete' } });
});

test('a sender that could not read all, or told nothing, is not complete', async () => {
  using fixture = new RunFixture();
  const told = await runWith(fixture, {
    fetched: (archive) => ({
      ...archive,
      outcome: archive.outcome.then((outcome) => ({
        ...outcome,
        warnings: ['x changed'],
        failure: 'exit 2',
      })),
    }),
  });
  expect(told).toMatchObject({ status: 'error', reason: { code: 'OutputsIncomplete' } });
  expect(told.warnings).toContain('x changed');
  using second = new RunFixture();
  const silent = await runWith(second, {
    fetched: (archive) => ({ ...archive, outcome: archive.outcome.then(lost()) }),
  });
  expect(silent).toMatchObject({ status: 'error', reason: { code: 'OutputsIncomplete' } });
});

test('outputs beyond a limit are refused', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('big', 'head -c 5000 /dev/zero >"$ROOT/outputs/big"')], {
    outputs: { folder: fixture.path('out'), collect: [], maxBytes: 1000, maxFiles: 100 },
  });
  expect(result).toMatchObject({
    status: 'error',
    reason: { code: 'OutputsRefused' },
    outputs: { files: 0 },
  });
});

test('a place that stays is an error after a pass, and a warning after a failure', async () => {
  const stays = { close: () => ({ deleted: false, kept: false, leftover: 'Job j is left' }) };
  using fixture = new RunFixture();
  const passed = await runWith(fixture, stays);
  expect(passed).toMatchObject({
    status: 'error',
    reason: { code: 'CleanupFailed', message: 'Job j is left' },
    job: { deleted: false },
  });
  expect(exitCodeOf(passed, null)).toBe(3);
  using second = new RunFixture();
  const failed = await runWith(second, stays, [step('fail', 'exit 9')]);
  expect(failed).toMatchObject({ status: 'failed', warnings: expect.arrayContaining(['Job j is left']) });
  expect(exitCodeOf(failed, null)).toBe(1);
});

test('a close that throws is a failed cleanup that names the place', async () => {
  using fixture = new RunFixture();
  const result = await runWith(fixture, { close: lost() });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'CleanupFailed' } });
  expect(result.reason?.message).toContain('kubectl delete job -n local');
});
