import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { exitCodeOf } from '../../src/run/exit-code.ts';
import { prepareResult } from '../../src/run/result-file.ts';
import { LocalExecutor } from './support/local-executor.ts';
import { RunFixture, step } from './support/run-fixture.ts';

const full = { kind: 'file', path: '/dev/full' } as const;
const chatty = [step('chatty', 'echo one; echo two; sleep 0.1; echo three'), step('next', 'true')];

test('a log that cannot be written ends the run as an error that names the file; the place goes', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run(chatty, { log: full });
  expect(result).toMatchObject({
    status: 'error',
    reason: { code: 'LocalWriteFailed', message: expect.stringContaining('/dev/full') },
    job: { deleted: true },
  });
  expect(result.steps.map(({ status }) => status)).toEqual(['error', 'skipped']);
  expect(exitCodeOf(result, null)).toBe(3);
  expect(fixture.result()).toEqual(result);
});

test('a log that fails in the middle stops the step, and outputs are fetched', async () => {
  using fixture = new RunFixture();
  let bytes = 0;
  const stream = new Writable({
    write: (chunk, _, done) => {
      bytes += chunk.length;
      done(bytes > 100_000 ? new Error('no space left on device') : null);
    },
  });
  const result = await fixture.run(
    [step('endless', 'echo x >"$ROOT/outputs/x"; while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done')],
    {
      log: { kind: 'stream', stream, name: 'the log' },
      outputs: { folder: fixture.path('out'), collect: [], maxBytes: 1e6, maxFiles: 9 },
    },
  );
  expect(result).toMatchObject({
    status: 'error',
    reason: { code: 'LocalWriteFailed', message: 'writing to the log failed: no space left on device' },
    steps: [{ status: 'error', signal: 'TERM' }],
    outputs: { files: 1, complete: true },
  });
});

test('an events file that cannot be written ends the run as well', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run(chatty, { events: full });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'LocalWriteFailed' } });
  expect(fixture.result()).toEqual(result);
  expect(fixture.events.at(-1)).toMatchObject({ type: 'finished', result });
});

test('an events file that fails at its last line makes an error of a pass, in the result too', async () => {
  using fixture = new RunFixture();
  const stream = new Writable({
    write: (chunk, _, done) => done(chunk.toString().includes('"finished"') ? new Error('full') : null),
  });
  const result = await fixture.run(chatty, { events: { kind: 'stream', stream, name: 'standard output' } });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'LocalWriteFailed' } });
  expect(fixture.result()).toEqual(result);
  expect(fixture.events.at(-1)).toMatchObject({ type: 'finished', result });
});

test('a reader that goes away does not keep the place from being removed', async () => {
  using fixture = new RunFixture();
  const stream = new PassThrough();
  stream.destroy();
  const result = await fixture.run(chatty, { log: { kind: 'stream', stream, name: 'standard output' } });
  expect(result).toMatchObject({
    status: 'error',
    reason: { code: 'LocalWriteFailed' },
    job: { deleted: true },
  });
});

test('a listener that throws ends the run and is not called again', async () => {
  using fixture = new RunFixture();
  let calls = 0;
  const result = await fixture.run(chatty, {
    onEvent: () => {
      calls += 1;
      throw new Error('EPIPE');
    },
  });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'LocalWriteFailed' } });
  expect(calls).toBe(1);
});

test('a reader that hangs holds the step back, but not the removal of the place', async () => {
  using fixture = new RunFixture();
  const clock = systemClock();
  const result = await fixture.run([step('flood', 'while :; do echo yyyyyyyyyyyyyyyyyyyyyyy; done')], {
    clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms === 10_000 ? 50 : ms, signal) },
    onEvent: (event) => {
      if (event.type !== 'log') return undefined;
      fixture.cancel.cancel('interrupt');
      fixture.cancel.cancel('interrupt');
      return new Promise(() => {});
    },
  });
  expect(result).toMatchObject({ status: 'cancelled', job: { deleted: true } });
  expect(statSync(fixture.path('log/run.log')).size).toBeLessThan(1_000_000);
  expect(fixture.result().status).toBe('cancelled');
});

test('a result that cannot be written makes an error of a pass', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('one', 'true')], { result: full });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'LocalWriteFailed' } });
  expect(fixture.events.at(-1)).toMatchObject({ type: 'finished', result });
});

test('the result replaces an older one whole, also behind a link, and leaves nothing beside it', async () => {
  using fixture = new RunFixture();
  mkdirSync(fixture.path('results'));
  writeFileSync(fixture.path('results/real.json'), 'old');
  symlinkSync('real.json', fixture.path('results/link.json'));
  const result = await fixture.run([step('one', 'true')], {
    result: { kind: 'file', path: fixture.path('results/link.json') },
  });
  expect(JSON.parse(readFileSync(fixture.path('results/real.json'), 'utf8'))).toEqual(result);
  expect(readdirSync(fixture.path('results'))).toEqual(['link.json', 'real.json']);
});

test('an older result stays until there is a new one', async () => {
  using fixture = new RunFixture();
  writeFileSync(fixture.path('result.json'), 'old');
  const write = await prepareResult({ kind: 'file', path: fixture.path('result.json') });
  expect(readFileSync(fixture.path('result.json'), 'utf8')).toBe('old');
  expect(write).toBeTypeOf('function');
});

test('a device is written to and not replaced', async () => {
  using fixture = new RunFixture();
  const result = await fixture.run([step('one', 'true')], { result: { kind: 'file', path: '/dev/null' } });
  expect(result.status).toBe('success');
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('log, events and result go to streams as well', async () => {
  using fixture = new RunFixture();
  const stream = new PassThrough();
  const result = await fixture.run([step('one', 'echo hello')], {
    log: { kind: 'stream', stream, name: 'standard output' },
  });
  expect(stream.read().toString()).toBe('=== step one\nhello\n');
  expect(result.steps[0]?.log).toEqual({ offset: 13, bytes: 6 });
  expect(stream.writableEnded).toBe(false);
  const json = new PassThrough();
  const second = await fixture.run([step('one', 'true')], {
    result: { kind: 'stream', stream: json, name: 'standard output' },
  });
  expect(JSON.parse(json.read().toString())).toEqual(second);
  expect(existsSync(fixture.path('result/result.json'))).toBe(true); // of the first run
});

test('an events file that fails while the place is removed makes an error of a pass', async () => {
  using fixture = new RunFixture();
  const stream = new Writable({
    write: (chunk, _, done) => done(chunk.toString().includes('"cleanup"') ? new Error('full') : null),
  });
  const result = await fixture.run(chatty, { events: { kind: 'stream', stream, name: 'standard output' } });
  expect(result).toMatchObject({ status: 'error', reason: { code: 'LocalWriteFailed' } });
  expect(fixture.result()).toEqual(result);
});

test('warnings without end do not make the result grow without end', async () => {
  using fixture = new RunFixture();
  fixture.executor = new LocalExecutor({
    open: (observer) => {
      for (let count = 0; count < 5000; count += 1) observer.warning(`warning ${count}`);
    },
  });
  const result = await fixture.run([step('one', 'true')]);
  expect(result.status).toBe('success');
  expect(result.warnings).toHaveLength(201);
  expect(result.warnings.at(-1)).toBe('more warnings than these were left out');
});
