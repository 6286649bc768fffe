import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodeOf } from '../../src/run/exit-code.ts';
import { runWorkflow } from '../../src/run/run-workflow.ts';
import { LocalExecutor } from './support/local-executor.ts';
import { loggedBytes, RunFixture, step } from './support/run-fixture.ts';

test('a run from a checkout to a log, a result and outputs', async () => {
  using fixture = new RunFixture();
  mkdirSync(fixture.path('checkout/src'), { recursive: true });
  mkdirSync(fixture.path('shared'));
  writeFileSync(fixture.path('checkout/src/a.txt'), 'hello\n');
  writeFileSync(fixture.path('shared/helper.sh'), 'echo helped', { mode: 0o644 });
  const result = await fixture.run(
    [
      step('read', 'cat src/a.txt; "$ROOT/steps/helper.sh"; echo to-stderr >&2'),
      step('write', 'mkdir dist; echo built >dist/app; echo report >"$ROOT/outputs/report"'),
    ],
    {
      checkout: { folder: fixture.path('checkout'), files: 'all', exclude: [] },
      sharedSteps: fixture.path('shared'),
      outputs: { folder: fixture.path('out'), collect: ['/work/dist'], maxBytes: 1e6, maxFiles: 100 },
    },
  );
  expect(result).toMatchObject({ status: 'success', reason: null, outputs: { files: 2, complete: true } });
  expect(exitCodeOf(result, null)).toBe(0);
  expect(fixture.log().toString()).toBe('=== step read\nhello\nhelped\nto-stderr\n=== step write\n');
  expect(result.steps.map((one) => fixture.logOf(one).toString())).toEqual([
    'hello\nhelped\nto-stderr\n',
    '',
  ]);
  expect(readFileSync(fixture.path('out/work/dist/app'), 'utf8')).toBe('built\n');
  expect(readFileSync(fixture.path('out/report'), 'utf8')).toBe('report\n');
  expect(fixture.result()).toEqual(result);
  expect(fixture.eventsFile()).toEqual(fixture.events);
  expect(fixture.executor.calls).toEqual([
    'open',
    'send',
    'step read',
    'step write',
    'fetch /outputs /work/dist',
    'close',
  ]);
  const told = fixture.events.filter(({ type }) => type !== 'transfer' && type !== 'log');
  expect(told.map((event) => ('phase' in event ? event.phase : event.type))).toEqual([
    'wait',
    'warning',
    'upload',
    'steps',
    'step-started',
    'step-finished',
    'step-started',
    'step-finished',
    'download',
    'cleanup',
    'finished',
  ]);
  expect(fixture.events.at(-1)).toMatchObject({ type: 'finished', result });
  expect(result.job).toEqual({
    namespace: 'local',
    name: 'job-abababab',
    uid: `uid-${result.run.id}`,
    pod: 'pod-1',
    node: 'here',
    kept: false,
    deleted: true,
  });
  expect(result.warnings).toEqual(['nothing is isolated here']);
});

test('without checkout and outputs nothing is sent or fetched', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('one', 'true')]);
  expect(result.outputs).toBeNull();
  expect(fixture.executor.calls).toEqual(['open', 'step one', 'close']);
});

test.each([1, 2, 42, 125, 126, 127, 130, 137, 143, 255])(
  'exit code %i is in the result as it was',
  async (code) => {
    using fixture = new RunFixture();
    const result = await fixture.run([step('fail', `exit ${code}`), step('after', 'true')]);
    expect(result.status).toBe('failed');
    expect(result.reason).toEqual({
      code: 'StepFailed',
      message: `step "fail" ended with exit code ${code}`,
    });
    expect(result.steps).toMatchObject([
      { status: 'failed', exitCode: code, signal: null, reason: { code: 'StepFailed' } },
      { status: 'skipped', exitCode: null, log: null, startedAt: null, durationMs: null },
    ]);
    expect(exitCodeOf(result, null)).toBe(1);
  },
);

test('a failure that may be leaves the run alone; steps that run always run after one that may not', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([
    step('may fail', 'exit 3', { continueOnError: true }),
    step('fails', 'exit 4'),
    step('not due', 'true'),
    step('tidy', 'echo tidy; exit 5', { always: true }),
    step('report', 'true', { always: true }),
  ]);
  expect(result.steps.map(({ status }) => status)).toEqual([
    'failed',
    'failed',
    'skipped',
    'failed',
    'success',
  ]);
  expect(result.reason?.message).toBe('step "fails" ended with exit code 4');
  using second = new RunFixture();
  const tolerant = await second.run([step('may fail', 'exit 3', { continueOnError: true })]);
  expect(tolerant).toMatchObject({ status: 'success', steps: [{ status: 'failed', exitCode: 3 }] });
});

test('outputs come also after a failure; a path that is missing is named and the others are kept', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('fail', 'echo x >"$ROOT/outputs/x"; exit 1')], {
    outputs: {
      folder: fixture.path('out'),
      collect: ['/work/none', '/outputs/x'],
      maxBytes: 1e6,
      maxFiles: 9,
    },
  });
  expect(result).toMatchObject({ status: 'failed', outputs: { files: 1, bytes: 2, complete: true } });
  expect(result.warnings.join()).toContain('/work/none');
  expect(existsSync(fixture.path('out/x'))).toBe(true);
});

test('the bytes of the log are those of the steps', async () => {
  using fixture = new RunFixture();
  const binary = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7) % 256));
  mkdirSync(fixture.path('checkout'));
  writeFileSync(fixture.path('checkout/binary'), binary);
  const result = await fixture.run(
    [
      step('binary', 'cat binary'),
      step('no newline', 'printf "10%%\\r20%%\\r30%%"'),
      step('split', 'printf "\\342"; sleep 0.05; printf "\\202"; sleep 0.05; printf "\\254\\n"'),
      step('cut', 'printf "a\\342\\202"'),
      step('silent', 'true'),
    ],
    {
      checkout: { folder: fixture.path('checkout'), files: 'all', exclude: [] },
      secrets: { S: 'not in there' },
    },
  );
  const own = [
    binary,
    Buffer.from('10%\r20%\r30%'),
    Buffer.from('€\n'),
    Buffer.from('a\xe2\x82', 'latin1'),
    Buffer.alloc(0),
  ];
  for (const [index, one] of result.steps.entries()) {
    expect(fixture.logOf(one).equals(own[index] ?? Buffer.alloc(1))).toBe(true);
    expect(loggedBytes(fixture.events, one.name).equals(own[index] ?? Buffer.alloc(1))).toBe(true);
  }
  const lineEnds = [true, false, false, true, false]; // whether the bytes before a header end with a newline
  const headers = result.steps.map(({ name }, index) =>
    Buffer.from(`${lineEnds[index] ? '' : '\n'}=== step ${name}\n`),
  );
  const whole = Buffer.concat(own.flatMap((bytes, index) => [headers[index] ?? Buffer.alloc(0), bytes]));
  expect(fixture.log().equals(whole)).toBe(true);
  const split = fixture.events.filter((event) => event.type === 'log' && event.step === 'split');
  expect(split.every((event) => 'text' in event)).toBe(true);
});

test('a line of 50 MB arrives whole', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run(
    [step('long', 'head -c 50000000 /dev/zero | tr "\\0" x; echo; echo AFTER'), step('next', 'echo next')],
    { events: undefined, onEvent: undefined },
  );
  const long = fixture.logOf(result.steps[0] ?? { log: null });
  expect(long.length).toBe(50_000_007);
  expect(long.subarray(-7).toString()).toBe('\nAFTER\n');
  expect(statSync(fixture.path('log/run.log')).size).toBe(
    50_000_007 + '=== step long\n=== step next\nnext\n'.length,
  );
});

test('secrets are masked in everything that comes out', async () => {
  using fixture = new RunFixture();
  const secret = 'hunter2-and-more';
  const traces: string[] = [];
  fixture.executor = new LocalExecutor({
    open: (observer) => {
      observer.waiting({ reason: 'Pulling', message: `with ${secret}`, since: new Date(0) });
      observer.warning(`it said ${secret}`);
      observer.trace(`GET /${secret}`);
    },
  });
  const result = await fixture.run(
    [
      step(
        `uses ${secret}`,
        `printf 'a hun'; sleep 0.05; echo 'ter2-and-more b'; echo "$TOKEN" | base64; exit 1`,
      ),
    ],
    {
      secrets: { TOKEN: secret, TINY: 'abc' },
      run: { name: `for ${secret}`, runner: `did:plc:${secret}` },
      onTrace: (message) => traces.push(message),
    },
  );
  expect(result.status).toBe('failed');
  expect(fixture.logOf(result.steps[0] ?? { log: null }).toString()).toBe('a *** b\n***\n');
  for (const text of [
    fixture.log().toString(),
    readFileSync(fixture.path('result/result.json'), 'utf8'),
    readFileSync(fixture.path('events/events.jsonl'), 'utf8'),
    JSON.stringify(fixture.events),
    traces.join(),
  ]) {
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 8));
    expect(text).toContain('***');
  }
  expect(result.warnings.join()).toContain('TINY');
  expect(fixture.executor.requests[0]?.secretNames).toEqual(['TINY', 'TOKEN']);
  expect(fixture.executor.steps[0]?.environment).not.toHaveProperty('TOKEN');
});

test('a step gets the secrets and variables that are meant for it', async () => {
  using fixture = new RunFixture();
  const show =
    'echo "$CI|$KNOTLESS_RUN_NAME|$KNOTLESS_RUNNER|$KNOTLESS_STEP|$KNOTLESS_WORK|$KNOTLESS_STEPS|$KNOTLESS_OUTPUTS|$A|$B"';
  const result = await fixture.run(
    [step('all', show), step('one', show, { secrets: ['A'] }), step('none', show, { secrets: [] })],
    { secrets: { A: 'a', B: 'b' }, run: { name: 'n', runner: undefined } },
  );
  expect(result.steps.map((one) => fixture.logOf(one).toString())).toEqual([
    'true|n||all|/work|/steps|/outputs|a|b\n',
    'true|n||one|/work|/steps|/outputs|a|\n',
    'true|n||none|/work|/steps|/outputs||\n',
  ]);
});

test('a kept place is told of and does not spoil the run', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('one', 'true')], { keep: true });
  expect(result).toMatchObject({ status: 'success', job: { kept: true, deleted: false } });
  expect(result.warnings).toContain('the Job stays for 1 h');
});

test('each run has an id of its own, from the randomness that was given', async () => {
  using fixture = new RunFixture();
  const { run } = await runWorkflow(fixture.request([step('one', 'true')]));
  expect(run.id).toBe('abababab-abab-4bab-abab-abababababab');
});
