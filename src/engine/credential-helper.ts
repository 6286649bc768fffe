import { spawn } from 'node:child_process';
import { z } from 'zod';
import { messageOf, RunnerError } from '../base/errors.ts';
import type { RegistryEntry } from './docker-config.ts';
import { shown } from './engine-error.ts';

const answerMs = 60_000;
const longestAnswer = 1024 * 1024;

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/**
 * Asks `docker-credential-NAME get`; undefined where it knows nothing of this server. What it answers is never in
 * an error: that may be a password.
 */
export async function askCredentialHelper(
  name: string,
  server: string,
  environment: Readonly<Partial<Record<string, string>>>,
  signal: AbortSignal,
): Promise<RegistryEntry | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) throw failed('docker-credential-…', 'its name is no name of a program');
  const { code, stdout, stderr } = await run(program, server, environment, signal);
  if (code !== 0) {
    // the protocol has no other way to tell
    if (/credentials not found/i.test(stdout + stderr)) return undefined;
    throw failed(program, `it ended with ${code}: ${shown(stderr) || 'it gave no reason'}`);
  }
  let answer: z.output<typeof answerSchema>;
  try {
    answer = answerSchema.parse(JSON.parse(stdout));
  } catch {
    throw failed(program, 'its answer has another form');
  }
  return answer.Username === '<token>'
    ? { identitytoken: answer.Secret }
    : { username: answer.Username, password: answer.Secret };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  program: string,
  input: string,
  environment: Readonly<Partial<Record<string, string>>>,
  signal: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...environment },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout = (stdout + chunk.toString()).slice(0, longestAnswer);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(0, longestAnswer);
    });
    child.stdin.on('error', () => {}); // its end tells
    child.on('error', (error) => reject(failed(program, messageOf(error))));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}

const failed = (program: string, why: string): RunnerError =>
  new RunnerError(
    'Unauthorized',
    `${program}, which the docker configuration names for credentials, cannot be used: ${why}`,
  );
