import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { withDeadline } from '../../base/deadline.ts';
import { badInput, RunnerError } from '../../base/errors.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import type { WebClient } from '../web/web-client.ts';
import { type ExpectedOwner, establishSession } from './establish-session.ts';
import type { Session } from './session.ts';
import { useSession } from './still-signed-in.ts';

const patienceMs = 10 * 60_000;
const mostBytes = 64 * 1024;

export interface OwnCommand {
  /** For `sh -c`. */
  readonly command: string;
  /** The path of the credential file, for the command to read itself. */
  readonly credentials: string | undefined;
  readonly expected: ExpectedOwner;
  readonly profile: GatewayProfile;
  readonly environment: NodeJS.ProcessEnv;
  readonly client: WebClient;
  /** Gets what the command writes to its standard error. */
  readonly stderr: Writable;
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

/** Lets a command of the user's own sign in: the last line that it prints is the cookie, as NAME=VALUE. */
export async function signInByCommand(request: OwnCommand): Promise<Session> {
  const { profile, client, expected, signal } = request;
  const deadline = { name: 'the end of the command of --sign-in-command', ms: patienceMs };
  const output = await withDeadline(client.clock, deadline, signal, (inTime) => outputOf(request, inTime));
  const value = cookieValue(output, profile.sessionCookie);
  const cookie = { name: profile.sessionCookie, value };
  useSession({ gateway: profile.gateway, cookie, did: '', expiresAt: null }, client);
  return establishSession(profile, expected, client, signal);
}

async function outputOf(request: OwnCommand, signal: AbortSignal): Promise<string> {
  const { command, credentials, profile, environment, stderr, interactive } = request;
  const child = spawn('/bin/sh', ['-c', command], {
    env: {
      ...environment,
      TENANT_GATEWAY: profile.gateway,
      TENANT_COOKIE_NAME: profile.sessionCookie,
      ...(credentials === undefined ? {} : { TENANT_CREDENTIALS: credentials }),
    },
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', kill, { once: true });
  const chunks: Buffer[] = [];
  let total = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    total += bytes.length;
    if (total <= mostBytes) chunks.push(bytes);
  });
  child.stderr.pipe(stderr, { end: false });
  try {
    await once(child, 'close');
  } finally {
    signal.removeEventListener('abort', kill);
  }
  signal.throwIfAborted();
  if (child.exitCode !== 0) {
    const how = child.exitCode === null ? `by ${child.signalCode}` : `with exit code ${child.exitCode}`;
    throw new RunnerError(
      'Unauthorized',
      `the command of --sign-in-command ended ${how}; see what it said above`,
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Also as of a Cookie or Set-Cookie header. */
function cookieValue(output: string, name: string): string {
  const line = output.trim().split(/\r?\n/).at(-1) ?? '';
  const pairs = line.replace(/^(set-)?cookie:/i, '').split(';');
  const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`));
  const value = pair?.slice(name.length + 1) ?? '';
  if (value !== '' && /^[\x21-\x7e]+$/.test(value)) return value;
  throw badInput(
    `--sign-in-command: the last line that the command printed is not ${name}=VALUE; let it print the session cookie so, and all else to standard error`,
  );
}
