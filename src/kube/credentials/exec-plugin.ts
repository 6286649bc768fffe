import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { RunnerError } from '../../base/errors.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Credential, CredentialSource } from './credential.ts';
import {
  type ExecPlugin,
  execInfo,
  type PluginClusterInfo,
  type PluginCredential,
  parsePluginAnswer,
} from './exec-credential.ts';
import { redact } from './redact.ts';

const alonePatienceMs = 60_000;
const interactivePatienceMs = 300_000;
const maxAnswerBytes = 1024 * 1024;
const shownStderrBytes = 2_000;

export interface ExecPluginContext {
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  /** Told to the plugin where the kubeconfig says so. */
  readonly cluster: PluginClusterInfo | undefined;
  /** Gets what a plugin that may ask at the terminal writes to its standard error. */
  readonly showToPerson: ((text: string) => void) | undefined;
  readonly trace: (message: string) => void;
  /** Ends a plugin that runs; the calls that wait for it have signals of their own. */
  readonly closing: AbortSignal;
  readonly patienceMs?: number;
}

/** A credential that a plugin gives, kept until it ends or the server refuses it. */
export function execPluginCredential(plugin: ExecPlugin, context: ExecPluginContext): CredentialSource {
  let last: PluginCredential | undefined;
  let running: Promise<PluginCredential> | undefined;
  const run = (signal?: AbortSignal): Promise<PluginCredential> => {
    running ??= runPlugin(plugin, context)
      .then((given) => {
        last = given;
        return given;
      })
      .finally(() => {
        running = undefined;
      });
    return unlessAborted(running, signal);
  };
  const fresh = async (signal?: AbortSignal): Promise<PluginCredential> => {
    const ended = last?.renewAt && last.renewAt.getTime() <= context.clock.date().getTime();
    return last && !ended ? last : run(signal);
  };
  return {
    current: async (signal): Promise<Credential> => (await fresh(signal)).credential,
    renew: async (refused, signal) => {
      // another call that was refused at the same time may have renewed it already
      if (last && last.credential !== refused) return last.credential;
      return (await run(signal)).credential;
    },
    expiry: async (signal) => {
      const at = (await fresh(signal)).expiresAt;
      return at && { at, renewable: true };
    },
  };
}

async function runPlugin(plugin: ExecPlugin, context: ExecPluginContext): Promise<PluginCredential> {
  context.trace(`runs the credential plugin ${plugin.command}`);
  const ms = context.patienceMs ?? (plugin.interactive ? interactivePatienceMs : alonePatienceMs);
  const deadline = {
    name: `the answer of the credential plugin ${plugin.command}`,
    ms,
    code: 'Unauthorized' as const,
  };
  const output = await withDeadline(context.clock, deadline, context.closing, (stop) =>
    capture(plugin, context, stop),
  );
  return parsePluginAnswer(output, plugin);
}

async function capture(plugin: ExecPlugin, context: ExecPluginContext, stop: AbortSignal): Promise<string> {
  const child = spawn(plugin.command, plugin.args, {
    env: { ...context.environment, ...plugin.env, KUBERNETES_EXEC_INFO: execInfo(plugin, context.cluster) },
    stdio: [plugin.interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    // A group of its own can be ended whole. At a terminal it must stay in ours, or it could not ask there.
    detached: !plugin.interactive,
    windowsHide: true,
  });
  const kill = (): void => {
    killGroup(child.pid, plugin.interactive);
    // a grandchild that lives on must not keep us waiting, nor this process alive
    child.stdout.destroy();
    child.stderr.destroy();
  };
  stop.addEventListener('abort', kill, { once: true });
  try {
    const stdout = collect(child.stdout, (bytes, total) => {
      if (total > maxAnswerBytes) kill();
      return bytes;
    });
    const stderr = collect(child.stderr, (bytes) => {
      if (plugin.interactive) context.showToPerson?.(bytes.toString());
      return bytes;
    });
    const { code, signalName, startError } = await ended(child);
    stop.throwIfAborted();
    if (startError) throw notStarted(plugin, startError);
    if (code !== 0) {
      throw new RunnerError('Unauthorized', failureOf(plugin, code, signalName, stderr()));
    }
    return stdout();
  } finally {
    stop.removeEventListener('abort', kill);
  }
}

interface Ended {
  readonly code: number | null;
  readonly signalName: NodeJS.Signals | null;
  readonly startError?: Error;
}

function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('error', (startError) => resolve({ code: null, signalName: null, startError }));
    child.once('close', (code, signalName) => resolve({ code, signalName }));
  });
}

/** Keeps the last megabyte of a stream. */
function collect(stream: Readable, onBytes: (bytes: Buffer, total: number) => Buffer): () => string {
  let kept: Buffer[] = [];
  let total = 0;
  stream.on('data', (bytes: Buffer) => {
    total += bytes.length;
    kept.push(onBytes(bytes, total));
    if (kept.length > 64) kept = [Buffer.concat(kept).subarray(-maxAnswerBytes)];
  });
  stream.on('error', () => {});
  return () => Buffer.concat(kept).toString();
}

function killGroup(pid: number | undefined, single: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(single || process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // it ended by itself meanwhile
  }
}

function notStarted(plugin: ExecPlugin, error: Error): RunnerError {
  const why =
    errorCodeOf(error) === 'ENOENT' ? 'was not found' : `could not be started (${errorCodeOf(error)})`;
  const hint = plugin.installHint ? `\n${plugin.installHint.trim()}` : '';
  return new RunnerError('BadInput', `the credential plugin ${plugin.command} ${why}${hint}`, {
    cause: error,
  });
}

function failureOf(
  plugin: ExecPlugin,
  code: number | null,
  signalName: NodeJS.Signals | null,
  stderr: string,
): string {
  const said = redact(stderr, Object.values(plugin.env)).trim().slice(-shownStderrBytes);
  const end = code === null ? `was ended by ${signalName ?? 'a signal'}` : `ended with ${code}`;
  return `the credential plugin ${plugin.command} ${end}${said ? `: ${said}` : ' and said nothing'}`;
}
