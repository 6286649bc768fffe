import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Container, PodSpec } from '../store/pod.ts';
import type { ContainerLog } from './container-log.ts';
import { recordLog } from './container-log.ts';
import { makeRoot } from './container-root.ts';
import { commandOf, environmentOf } from './environment.ts';
import { notInPath } from './lookup.ts';
import type { Node } from './node.ts';
import { identityOf, privilegeOptions } from './privileges.ts';
import { namespaceArguments } from './programs.ts';
import type { Mount } from './root-spec.ts';
import { inside, mountTable, systemParts } from './root-spec.ts';

const script = fileURLToPath(new URL('./pod-root.sh', import.meta.url));

/** How process 1 ended. A signal is 128 and its number, as container runtimes count. */
interface Exit {
  readonly exitCode: number;
  readonly oomKilled: boolean;
}

/** A container whose process 1 runs or ran. */
export interface RunningContainer {
  readonly spec: Container;
  /** Process 1 in this machine's numbering. */
  readonly pid: number;
  readonly uid: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly log: ContainerLog;
  readonly exit: Promise<Exit>;
  readonly running: boolean;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Kills it as the kernel does when memory runs out. */
  killForMemory(): void;
}

/** A container that could not be started: the runtime's words. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export interface ContainerRequest {
  readonly pod: PodSpec;
  readonly spec: Container;
  readonly hostname: string;
  /** A folder of this container's own. */
  readonly folder: string;
  readonly volumes: readonly Mount[];
  /** Aborting it ends a start that is under way. */
  readonly signal: AbortSignal;
}

export const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

/** Makes a container's root and starts its process 1. Rejects with a StartError. */
export async function startContainer(request: ContainerRequest, node: Node): Promise<RunningContainer> {
  const { spec, pod, hostname, folder } = request;
  const { uid, gid } = identityOf(spec, pod);
  const environment = environmentOf(spec, hostname, uid, node.extraPath);
  const command = commandOf(spec, environment);
  const [name] = command;
  if (name === undefined)
    throw new StartError(
      'no command specified: the embedded cluster pulls no image, so the container needs a command of its own',
    );
  const root = join(folder, 'root');
  const table = join(folder, 'mounts');
  const workdir = inside(spec.workingDir ?? '/');
  const system = systemParts();
  const mounts = [...node.host.mounts, ...system.mounts, ...request.volumes];
  await makeRoot(root, hostname, node.settings, { mounts, links: [...node.host.links, ...system.links] });
  await writeFile(table, mountTable(root, mounts));

  const [stdout, stderr] = await Promise.all([node.pipes.output(), node.pipes.output()]);
  const child = spawn(
    node.programs.setpriv,
    [
      ...namespaceArguments(node.programs, uid, gid),
      node.programs.sh,
      script,
      root,
      table,
      spec.securityContext?.readOnlyRootFilesystem ? 'ro' : 'rw',
      workdir,
      hostname,
      privilegeOptions(spec, false, uid).join(' '),
      environment.PATH ?? '',
      name,
      ...environmentArguments(environment, node.programs.env),
      ...command,
    ],
    {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      cwd: '/',
      stdio: ['ignore', stdout.childFd, 'pipe', 'pipe', stderr.childFd],
    },
  );
  closeSync(stdout.childFd);
  closeSync(stderr.childFd);
  const giveUp = (): void => {
    child.kill('SIGKILL'); // and with it all that it has started
  };
  request.signal.addEventListener('abort', giveUp);
  if (request.signal.aborted) giveUp();
  let running = true;
  let killed = false;
  let oomKilled = false;
  let trouble = '';
  child.stdio[2]?.on('data', (chunk: Buffer) => {
    if (trouble.length < 1000) trouble += chunk.toString();
  });
  const exit = new Promise<Exit>((resolve) => {
    const end = (exitCode: number): void => {
      running = false;
      resolve({ exitCode, oomKilled });
    };
    // unshare 2.38 takes a SIGKILL of its child for a failure of its own, and ends with 1.
    child.once('exit', (code, signal) => end(killed && code === 1 ? 137 : exitCodeOf(code, signal)));
    child.once('error', () => end(128));
  });
  const log = recordLog(join(folder, 'log'), { stdout: stdout.stream, stderr: stderr.stream }, node.date);
  const told = await tellings(child.stdio[3]);
  request.signal.removeEventListener('abort', giveUp);
  const pid = Number(/^pid (\d+)$/m.exec(told)?.[1]);
  if (/^missing$/m.test(told)) throw new StartError(`${notInPath(name)}: unknown`);
  const failed = /^error (.*)$/m.exec(told)?.[1];
  if (failed !== undefined || !pid || !/^go$/m.test(told)) {
    const what = failed ?? 'the container ended before it began';
    throw new StartError(`${what} ${trouble}`.replace(/\s+/g, ' ').trim());
  }
  const signal = (name: NodeJS.Signals): void => {
    killed ||= name === 'SIGKILL';
    if (running) kill(pid, name);
  };
  return {
    spec,
    pid,
    uid,
    environment,
    workdir,
    log,
    exit,
    get running() {
      return running;
    },
    signal,
    killForMemory() {
      oomKilled = true;
      signal('SIGKILL');
    },
  };
}

/** `env -i NAME=VALUE …`: the pod's environment begins in the pod, so that it cannot act on the way there. */
export const environmentArguments = (
  environment: Readonly<Record<string, string>>,
  env: string,
): string[] => [env, '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];

/** What pod-root.sh says until the command begins or the script ends. */
async function tellings(stream: unknown): Promise<string> {
  if (!(stream instanceof Readable)) return '';
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (/^(go|missing|error .*)\n/m.test(text)) break; // unshare holds the descriptor to the container's end
  }
  return text;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has just ended
  }
}
