import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { RunnerError } from '../../src/base/errors.ts';
import { connectByKubectl } from '../../src/executor/kubernetes/kubectl/kubectl-api.ts';
import { kubectlError } from '../../src/executor/kubernetes/kubectl/kubectl-error.ts';
import type { KubeApi } from '../../src/kube/kube-api.ts';
import { mutatedBytes } from '../kube/fixtures/mutated-bytes.ts';
import { seededRandom } from '../run/support/seeded-random.ts';

const random = seededRandom(20_261_202);
const rounds = 80;
const schema = z.object({ metadata: z.object({ name: z.string() }) });
const object = '{"kind":"Job","metadata":{"name":"a","uid":"1"}}';
const words = [
  'Error from server (NotFound): jobs.batch "a" not found\n',
  'Error from server (Forbidden): pods "a" is forbidden: User "u" cannot get resource\n',
  'error: You must be logged in to the server (Unauthorized)\n',
  'The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n',
  'command terminated with exit code 42\n',
];

let folder = '';
let api: KubeApi;

/** A kubectl that says what lies beside it, and ends as is said there. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubectl-fuzz-'));
  const program = join(folder, 'kubectl');
  await writeFile(
    program,
    `#!/bin/sh\ncd ${folder} || exit\ncat >/dev/null\ncat out\ncat err >&2\nread -r code <code\nexit "$code"\n`,
  );
  await chmod(program, 0o755);
  api = await connectByKubectl({
    program,
    kubeconfig: undefined,
    context: undefined,
    namespace: 'ci',
    environment: process.env,
    clock: systemClock(),
    trace: () => {},
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function says(out: Buffer, err: Buffer, code: number): Promise<void> {
  await Promise.all([
    writeFile(join(folder, 'out'), out),
    writeFile(join(folder, 'err'), err),
    writeFile(join(folder, 'code'), `${code}\n`),
  ]);
}

const anyWords = (): Buffer => mutatedBytes(Buffer.from(words[random(words.length)] ?? ''), random);

async function expectRunnerError(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(RunnerError);
  }
}

it('mutated words of kubectl are a RunnerError', () => {
  for (let round = 0; round < 3_000; round++) {
    const asked = { action: 'get the Job', server: 'the cluster', method: 'GET' };
    expect(kubectlError(anyWords().toString(), asked)).toBeInstanceOf(RunnerError);
  }
});

it('mutated answers, watches and exec words of kubectl are what they say, or a RunnerError', async () => {
  const signal = AbortSignal.timeout(50_000);
  for (let round = 0; round < rounds; round++) {
    await says(mutatedBytes(Buffer.from(object), random), anyWords(), random(3));
    await expectRunnerError(() => api.request({ method: 'GET', path: '/apis/batch/v1/x', signal }, schema));

    const line = `{"type":"ADDED","object":${object}}\n`;
    await says(mutatedBytes(Buffer.from(line.repeat(3)), random), anyWords(), random(3));
    await expectRunnerError(async () => {
      for await (const { type } of api.watch({ path: '/api/v1/x', signal })) expect(type).toMatch(/^[A-Z]+$/);
    });

    const code = [0, 1, 42][random(3)] ?? 0;
    const err = anyWords();
    await says(Buffer.from('output'), err, code);
    const session = await api.exec({
      namespace: 'ci',
      pod: 'p',
      container: 'run',
      command: ['true'],
      signal,
    });
    session.stdin.end();
    const [stdout] = await Promise.all([buffer(session.stdout), buffer(session.stderr)]);
    expect(stdout.toString()).toBe('output');
    await expectRunnerError(async () => {
      const { exitCode } = await session.exit;
      expect(exitCode).toBe(code);
      if (exitCode !== 0) expect(err.toString('latin1')).toContain(`exit code ${code}`);
    });
  }
}, 60_000);
