import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { RunEvent } from '../../src/run/event-schema.ts';
import { exitCodeOf } from '../../src/run/exit-code.ts';
import { deferred } from './support/deferred.ts';
import { FakeClock } from './support/fake-clock.ts';
import { type Interventions, LocalExecutor } from './support/local-executor.ts';
import { RunFixture, step } from './support/run-fixture.ts';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
const forever = (): Promise<never> => new Promise(() => {});
const outputs = (fixture: RunFixture) => ({
  folder: fixture.path('out'),
  collect: [],
  maxBytes: 1e6,
  maxFiles: 100,
});

/** Calls back once, when a step has written the word. */
const whenLogged = (fixture: RunFixture, word: string, call: () => void) => (event: RunEvent) => {
  fixture.events.push(event);
  if (event.type === 'log' && 'text' in event && event.text.includes(word)) {
    call();
  }
};

/** Real time, but what would take minutes takes none. */
const hastyClock = (longestMs: number): Clock => {
  const clock = systemClock();
  return { ...clock, sleep: (ms, signal) => clock.sleep(Math.min(ms, longestMs), signal) };
};

test('a step that takes too long is stopped, its log and the outputs are kept, and steps that run always run', async () => {
  using fixture = new RunFixture();
  const clock = new FakeClock();
  const result = await fixture.run(
    [
      step('slow', 'echo x >"$ROOT/outputs/x"; echo ready; sleep 60', { timeoutMs: 5_000 }),
      step('next', 'true'),
      step('tidy', 'echo tidy', { always: true }),
    ],
    {
      clock,
      onEvent: whenLogged(fixture, 'ready', () => void clock.advance(5_000)),
      outputs: outputs(fixture),
    },
  );
  expect(result).toMatchObject({
    status: 'timeout',
    reason: { code: 'StepTimeout' },
    steps: [
      { status: 'timeout', signal: 'TERM', reason: { code: 'StepTimeout' }, durationMs: 5_000 },
      { status: 'skipped' },
      { status: 'success' },
    ],
    outputs: { files: 1, complete: true },
    timings: { stepsMs: 5_000 },
    job: { deleted: true },
  });
  expect(fixture.log().toString()).toBe('=== step slow\nready\n=== step tidy\ntidy\n');
  expect(exitCodeOf(result, null)).toBe(4);
  expect(clock.sleepers).toBe(0);
});

test('the smaller of both step timeouts counts', async () => {
  for (const [own, flag] of [
    [5_000, 9_000],
    [9_000, 5_000],
    [undefined, 5_000],
  ] as const) {
    using fixture = new RunFixture();
    const clock = new FakeClock();
    const request = fixture.request([]);
    const result = await fixture.run([step('slow', 'echo ready; sleep 60', { timeoutMs: own })], {
      clock,
      limits: { ...request.limits, stepTimeoutMs: flag },
      onEvent: whenLogged(fixture, 'ready', () => void clock.advance(5_000)),
    });
    expect(result).toMatchObject({ status: 'timeout', reason: { code: 'StepTimeout' }, durationMs: 5_000 });
  }
});

test('the time of the run is that of all its steps; nothing runs when it is up', async () => {
  using fixture = new RunFixture();
  const clock = new FakeClock();
  const request = fixture.request([]);
  fixture.executor = new LocalExecutor({ open: () => clock.advance(100_000) }); // the wait does not count
  const result = await fixture.run(
    [
      step('first', 'echo ready'),
      step('slow', 'echo ready; sleep 60', { continueOnError: true }),
      step('tidy', 'true', { always: true }),
    ],
    {
      clock,
      limits: { ...request.limits, timeoutMs: 10_000 },
      onEvent: whenLogged(fixture, 'ready', () => void clock.advance(5_000)),
    },
  );
  expect(result).toMatchObject({
    status: 'timeout',
    reason: { code: 'RunTimeout' },
    steps: [
      { status: 'success' },
      { status: 'timeout', reason: { code: 'RunTimeout' } },
      { status: 'skipped' },
    ],
    timings: { waitMs: 100_000, stepsMs: 10_000 },
  });
});

test('a step that ignores TERM is killed after the grace', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run(
    [step('stubborn', 'trap "" TERM; echo ready; while :; do sleep 0.1; done')],
    { onEvent: whenLogged(fixture, 'ready', () => fixture.cancel.cancel('termination')) },
  );
  expect(result).toMatchObject({ status: 'cancelled', steps: [{ status: 'cancelled', signal: 'KILL' }] });
  expect(exitCodeOf(result, fixture.cancel.cause)).toBe(143);
});

test.each([
  ['hang-up', 129],
  ['interrupt', 130],
  ['termination', 143],
] as const)('cancelled by %s in a step: log, outputs, delete, exit code %i', async (cause, exitCode) => {
  using fixture = new RunFixture();
  const result = await fixture.run(
    [
      step(
        'long',
        'trap "echo bye; exit 0" TERM; echo x >"$ROOT/outputs/x"; echo ready; while :; do sleep 0.1; done',
      ),
      step('tidy', 'true', { always: true }),
    ],
    { onEvent: whenLogged(fixture, 'ready', () => fixture.cancel.cancel(cause)), outputs: outputs(fixture) },
  );
  expect(result).toMatchObject({
    status: 'cancelled',
    reason: { code: 'Cancelled' },
    steps: [{ status: 'cancelled', signal: 'TERM', exitCode: 0 }, { status: 'skipped' }],
    outputs: { files: 1, complete: true },
    job: { deleted: true },
  });
  expect(fixture.log().toString()).toContain('ready\n');
  expect(fixture.log().toString()).toContain('bye\n');
  expect(exitCodeOf(result, fixture.cancel.cause)).toBe(exitCode);
});

test('cancelled a second time: grace and outputs are left out', async () => {
  using fixture = new RunFixture();
  const request = fixture.request([]);
  const result = await fixture.run(
    [step('stubborn', 'trap "" TERM; echo ready; while :; do sleep 0.1; done')],
    {
      limits: { ...request.limits, graceMs: 3_600_000 },
      outputs: outputs(fixture),
      onEvent: whenLogged(fixture, 'ready', () => {
        fixture.cancel.cancel('interrupt');
        fixture.cancel.cancel('interrupt');
      }),
    },
  );
  expect(result).toMatchObject({ status: 'cancelled', outputs: { complete: false }, job: { deleted: true } });
  expect(fixture.executor.calls).toEqual(['open', 'step stubborn', 'close']);
});

const cancelIn = (fixture: RunFixture, phase: string) => (event: RunEvent) => {
  fixture.events.push(event);
  if (event.type === 'phase' && event.phase === phase) {
    fixture.cancel.cancel('interrupt');
  }
};

test.each([
  ['wait', { open: (_, signal) => untilAborted(signal) }, 'cancelled', 130],
  ['upload', { send: (signal) => untilAborted(signal) }, 'cancelled', 130],
  ['download', {}, 'cancelled', 130],
  ['cleanup', {}, 'success', 0],
] as const satisfies readonly [string, Interventions, string, number][])(
  'cancelled in the %s',
  async (phase, interventions, status, exitCode) => {
    using fixture = new RunFixture();
    // a download this small may be over before the cancel comes
    const fetch = (): Promise<void> => untilAborted(fixture.cancel.inOrder).catch(() => {});
    fixture.executor = new LocalExecutor({ ...interventions, ...(phase === 'download' ? { fetch } : {}) });
    const result = await fixture.run([step('one', 'echo x >"$ROOT/outputs/x"')], {
      sharedSteps: import.meta.dirname,
      outputs: outputs(fixture),
      onEvent: cancelIn(fixture, phase),
    });
    expect(result.status).toBe(status);
    expect(exitCodeOf(result, fixture.cancel.cause)).toBe(exitCode);
    expect(fixture.executor.calls.at(-1)).toBe(phase === 'wait' ? 'open' : 'close');
    expect(existsSync(fixture.path('out/x'))).toBe(phase === 'download' || phase === 'cleanup');
  },
);

test('cancelled before it began: nothing is opened', async () => {
  using fixture = new RunFixture();
  fixture.cancel.cancel('interrupt');
  const result = await fixture.run([step('one', 'true')], { sharedSteps: import.meta.dirname });
  expect(result).toMatchObject({ status: 'cancelled', job: null, steps: [{ status: 'skipped' }] });
  expect(fixture.executor.calls).toEqual([]);
});

test('the outputs of a cancelled run are not waited for without end', async () => {
  using fixture = new RunFixture();
  const clock = hastyClock(50);
  fixture.executor = new LocalExecutor({ fetch: forever });
  const result = await fixture.run([step('one', 'true')], {
    clock: {
      ...clock,
      sleep: (ms, signal) => (ms === 60_000 ? clock.sleep(ms, signal) : systemClock().sleep(ms, signal)),
    },
    limits: { ...fixture.request([]).limits, timeoutMs: 50_000 },
    outputs: outputs(fixture),
    onEvent: cancelIn(fixture, 'download'),
  });
  expect(result).toMatchObject({ status: 'cancelled', outputs: { complete: false }, job: { deleted: true } });
});

test('a failed step stays what ended the run, also if it is cancelled later', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('fail', 'exit 2')], {
    outputs: outputs(fixture),
    onEvent: cancelIn(fixture, 'download'),
  });
  expect(result).toMatchObject({ status: 'failed', reason: { code: 'StepFailed' } });
  expect(exitCodeOf(result, fixture.cancel.cause)).toBe(1);
});

test('a cancel that came before the step failed by itself is what ended the run', async () => {
  using fixture = new RunFixture();
  fixture.executor = new LocalExecutor({
    step: () => fixture.cancel.cancel('interrupt'),
    verdict: (_, { usage }) => ({ kind: 'exited', exitCode: 7, usage }),
  });
  const result = await fixture.run([step('fail', 'exit 7')]);
  expect(result).toMatchObject({ status: 'cancelled', steps: [{ status: 'failed', exitCode: 7 }] });
});

test('a place that does not settle after a timeout is given up, and closed', async () => {
  using fixture = new RunFixture();
  const clock = new FakeClock();
  const request = fixture.request([]);
  let abandoned = false;
  fixture.executor = new LocalExecutor({
    step: async (_, { abandon }) => {
      abandon.addEventListener('abort', () => {
        abandoned = true;
      });
      void clock.advance(5_000).then(() => clock.advance(60_000));
      await forever();
    },
  });
  const result = await fixture.run(
    [step('hangs', 'true', { timeoutMs: 5_000 }), step('tidy', 'true', { always: true })],
    { clock, limits: { ...request.limits, timeoutMs: 3_600_000 } },
  );
  expect(abandoned).toBe(true);
  expect(result).toMatchObject({
    status: 'timeout',
    reason: { code: 'StepTimeout' },
    steps: [{ status: 'timeout', exitCode: null, signal: null }, { status: 'skipped' }],
    job: { deleted: true },
  });
});

test('the third cancel leaves a close that takes long, and says what may be left', async () => {
  using fixture = new RunFixture();
  const clock = new FakeClock();
  fixture.executor = new LocalExecutor({
    close: async (signal) => {
      for (let call = 0; call < 3; call += 1) fixture.cancel.cancel('interrupt');
      void clock.advance(2_000);
      return untilAborted(signal);
    },
  });
  const result = await fixture.run([step('fail', 'exit 1')], { clock });
  expect(result).toMatchObject({ status: 'failed', job: { deleted: false } });
  expect(result.warnings.join()).toContain('kubectl delete job');
});

test('a close that never ends is given up', async () => {
  using fixture = new RunFixture();
  const clock = new FakeClock();
  fixture.executor = new LocalExecutor({
    close: () => {
      void clock.advance(600_000);
      return forever();
    },
  });
  const result = await fixture.run([step('one', 'true')], { clock });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'CleanupFailed' } });
});

test('an open that does not heed the cancel is left at the third, and closed if it comes up later', async () => {
  using fixture = new RunFixture();
  const clock = new FakeClock();
  const late = deferred<void>();
  const closed = deferred<void>();
  fixture.executor = new LocalExecutor({
    open: () => {
      for (let call = 0; call < 3; call += 1) fixture.cancel.cancel('interrupt');
      void clock.advance(2_000);
      return late.promise;
    },
    close: () => {
      closed.resolve();
      return undefined;
    },
  });
  const result = await fixture.run([step('one', 'true')], { clock });
  expect(result.status).toBe('cancelled');
  expect(result.warnings.join()).toContain('look for what is left');
  late.resolve();
  await closed.promise;
});
