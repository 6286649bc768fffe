import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunRequest } from '../../src/run/run-request.ts';
import { runWorkflow } from '../../src/run/run-workflow.ts';
import { RunFixture, step } from './support/run-fixture.ts';

const good = [step('one', 'true')];
const outputs = { folder: '', collect: [], maxBytes: 1, maxFiles: 1 };
type Case = (fixture: RunFixture) => RunRequest;
const cases: Record<string, [Case, RegExp]> = {
  'no steps': [(f) => f.request([]), /no steps/],
  'a step twice': [(f) => f.request([...good, ...good]), /"one"/],
  'a step without a name': [(f) => f.request([step('', 'true')]), /name/],
  'a control character in a name': [(f) => f.request([step('a\u001b[0m', 'true')]), /control/],
  'a NUL in a command': [(f) => f.request([step('a', 'echo \0')]), /"a".*NUL/],
  'a run without a name': [(f) => f.request(good, { run: { name: '', runner: undefined } }), /name/],
  'no variable`s name': [(f) => f.request(good, { environment: { 'a-b': '' } }), /a-b/],
  'a variable of the runner': [(f) => f.request(good, { secrets: { KNOTLESS_STEP: 'x' } }), /KNOTLESS_STEP/],
  'a variable with a NUL': [(f) => f.request(good, { environment: { A: '\0' } }), /A .*NUL/],
  'a secret without a value': [(f) => f.request([step('a', 'true', { secrets: ['NONE'] })]), /"a".*NONE/],
  'a secret called like a method': [
    (f) => f.request([step('a', 'true', { secrets: ['toString'] })]),
    /toString/,
  ],
  'a relative path to collect': [
    (f) => f.request(good, { outputs: { ...outputs, folder: f.path('o'), collect: ['dist'] } }),
    /"dist"/,
  ],
  'a path that climbs': [
    (f) => f.request(good, { outputs: { ...outputs, folder: f.path('o'), collect: ['/work/../etc'] } }),
    /etc/,
  ],
  'an outputs folder that is a file': [
    (f) => {
      writeFileSync(f.path('file'), '');
      return f.request(good, { outputs: { ...outputs, folder: f.path('file') } });
    },
    /outputs folder .*file/,
  ],
  'an outputs folder where none can be made': [
    (f) => f.request(good, { outputs: { ...outputs, folder: '/proc/none/outputs' } }),
    /outputs folder .*ENOENT/,
  ],
  'a log where none can be made': [
    (f) => f.request(good, { log: { kind: 'file', path: '/proc/none/log' } }),
    /cannot be written.*ENOENT/,
  ],
  'a log that is a folder': [
    (f) => f.request(good, { log: { kind: 'file', path: f.folder } }),
    /cannot be written/,
  ],
  'a result that is a folder': [
    (f) => f.request(good, { result: { kind: 'file', path: f.folder } }),
    /cannot be written: it is a folder/,
  ],
  'one file for two': [
    (f) => f.request(good, { result: { kind: 'file', path: f.path('log/../log/run.log') } }),
    /cannot share/,
  ],
  'a checkout that is not there': [
    (f) => f.request(good, { checkout: { folder: f.path('none'), files: 'all', exclude: [] } }),
    /none/,
  ],
  'a limit that no timer can hold': [
    (f) => f.request([step('a', 'true', { timeoutMs: 30 * 86_400_000 })]),
    /step "a".*24 days/,
  ],
  'a limit that is none': [
    (f) => f.request(good, { limits: { ...f.request(good).limits, readyMs: Number.NaN } }),
    /readyMs/,
  ],
};

test.each(Object.entries(cases))('%s is refused before anything is created', async (_, [make, message]) => {
  using fixture = new RunFixture();
  await expect(runWorkflow(make(fixture))).rejects.toMatchObject({
    name: 'RunnerError',
    code: 'BadInput',
    message: expect.stringMatching(message),
  });
  expect(fixture.executor.calls).toEqual([]);
  expect(existsSync(fixture.path('result/result.json'))).toBe(false);
});

test('bad input does not empty the log of the run before', async () => {
  using fixture = new RunFixture();
  mkdirSync(fixture.path('log'));
  writeFileSync(fixture.path('log/run.log'), 'before');
  await expect(runWorkflow(fixture.request([]))).rejects.toMatchObject({ code: 'BadInput' });
  expect(fixture.log().toString()).toBe('before');
});

test('sockets and FIFOs of a checkout are left out with a warning', async () => {
  using fixture = new RunFixture();
  mkdirSync(fixture.path('checkout'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', fixture.path('checkout/pipe')]);
  const result = await fixture.run([step('look', 'ls -A')], {
    checkout: { folder: fixture.path('checkout'), files: 'all', exclude: [] },
  });
  expect(result.status).toBe('success');
  expect(result.warnings.join()).toMatch(/pipe.*FIFO/);
});
