import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { RunningContainer } from './container.ts';
import { environmentArguments, exitCodeOf } from './container.ts';
import { executableFault } from './lookup.ts';
import type { Node } from './node.ts';
import { privilegeOptions } from './privileges.ts';

/** A program that was started beside a container's process 1. */
export interface ExecProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the program has ended; its outputs may still have bytes, or be held open by its children. */
  readonly exitCode: Promise<number>;
}

/** A program that could not be started: the runtime's words. */
export class ExecError extends Error {
  override readonly name = 'ExecError';
}

/** Starts `command` in a container, with a standard input or none. Rejects with an ExecError. */
export async function execIn(
  container: RunningContainer,
  command: readonly string[],
  withStdin: boolean,
  node: Node,
): Promise<ExecProcess> {
  const [name] = command;
  const root = `/proc/${container.pid}/root`;
  if (name === undefined) throw new ExecError('args must not be empty');
  const wrong = await executableFault(root, name, container.environment.PATH ?? '', container.workdir);
  if (wrong !== undefined) throw new ExecError(`unable to start container process: ${wrong}`);
  const [stdin, stdout, stderr] = await Promise.all([
    withStdin ? node.pipes.input() : undefined,
    node.pipes.output(),
    node.pipes.output(),
  ]);
  const { programs } = node;
  const child = spawn(
    programs.setpriv,
    [
      '--pdeathsig',
      'KILL',
      programs.nsenter,
      `--target=${container.pid}`,
      '--user',
      '--mount',
      '--pid',
      '--uts',
      '--ipc',
      // The caller's own ids are those that the container's user namespace maps.
      '--preserve-credentials',
      // Opened before the mount namespace is entered, so it is named from out here.
      `--wd=${root}${container.workdir}`,
      programs.setpriv,
      ...privilegeOptions(container.spec, true, container.uid),
      '--',
      ...environmentArguments(container.environment, programs.env),
      ...command,
    ],
    {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      cwd: '/',
      stdio: [stdin ? stdin.childFd : 'ignore', stdout.childFd, stderr.childFd],
    },
  );
  for (const pipe of [stdin, stdout, stderr]) if (pipe) closeSync(pipe.childFd);
  const exitCode = once(child, 'exit').then(
    ([code, signal]: (number | null | NodeJS.Signals)[]) =>
      typeof code === 'number' ? code : exitCodeOf(null, typeof signal === 'string' ? signal : null),
    () => 128,
  );
  return { stdin: stdin?.stream ?? null, stdout: stdout.stream, stderr: stderr.stream, exitCode };
}
