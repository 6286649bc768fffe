import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type RunResult, resultSchema } from '../../src/run/result-schema.ts';
import type { Venue } from './venue.ts';

export interface CommandOptions {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether outputs are asked for; they are by default. */
  readonly outputs?: boolean;
  /** Hears of the process and where its log will be. */
  readonly meanwhile?: (child: ChildProcess, log: string) => Promise<void>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Checked against its schema. */
  readonly result: RunResult;
  readonly log: string;
  /** A folder. */
  readonly outputs: string;
}

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** `knotless-runner-k8s run`, in the repository's folder, as a process; what comes out lands in the folder `here`. */
export async function runCommand(
  here: string,
  { args, environment = {}, outputs: wanted = true, meanwhile }: CommandOptions,
): Promise<Ended> {
  await mkdir(here, { recursive: true });
  const result = join(here, 'result.json');
  const log = join(here, 'run.log');
  const outputs = join(here, 'out');
  const argv = [
    ...[
      'scripts/run-ts.mjs',
      'src/cli/main.ts',
      'run',
      '--runner',
      'did:plc:runner',
      '--image',
      'busybox:1.36',
    ],
    ...(wanted ? ['--outputs', outputs] : []),
    ...['--result', result, '--log', log],
    ...args,
  ];
  const child = spawn(process.execPath, argv, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
    meanwhile?.(child, log),
  ]);
  const written = await readFile(result, 'utf8').catch(() => {
    throw new Error(`no result; exit code ${code}\n${stdout}\n${stderr}`);
  });
  return {
    code,
    stdout,
    stderr,
    result: resultSchema.parse(JSON.parse(written)),
    log: await readFile(log, 'utf8'),
    outputs,
  };
}

/** The result says that the place was removed, and it was. */
export async function expectPlaceGone(venue: Venue, { job, container }: RunResult): Promise<void> {
  const place = job ?? container;
  expect(place).toMatchObject({ deleted: true });
  expect(await venue.remains(place?.name ?? '')).toEqual([]);
}
