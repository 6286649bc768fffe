import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect } from 'vitest';
import { runCli } from '../../../src/cli/application.ts';
import { testContext } from '../../cli/test-context.ts';
import {
  type AccountServerOptions,
  accountServer,
  type StandInAccount,
  type StandInAccountServer,
} from './account-server.ts';
import { type GatewayOptions, gateway, type StandInGateway } from './gateway.ts';

export interface StageOptions {
  readonly pages?: AccountServerOptions['pages'];
  readonly account?: Partial<StandInAccount>;
  readonly accountServer?: Pick<AccountServerOptions, 'instead'>;
  readonly gateway?: Partial<GatewayOptions>;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A terminal, for what is asked there. */
  readonly terminal?: Readable & { isTTY?: boolean };
  /** Gets standard error as it grows. */
  readonly onStderr?: (text: string) => void;
}

export interface Stage extends AsyncDisposable {
  readonly account: StandInAccount;
  readonly server: StandInAccountServer;
  readonly gateway: StandInGateway;
  readonly folder: string;
  readonly stateFolder: string;
  /** Lines of a good credential file. */
  readonly credentialLines: string;
  /** Writes a file below the folder, 0600 if nothing else is said; returns its path. */
  readonly write: (name: string, text: string, mode?: number) => Promise<string>;
  /** Runs `tenant …`, and fails where any credential value comes out. */
  readonly tenant: (argv: readonly string[], options?: RunOptions) => Promise<Outcome>;
  readonly signIn: (options?: RunOptions) => Promise<Outcome>;
  /** Name and mode of what is in the state folder. */
  readonly stateFiles: () => Promise<readonly string[]>;
  readonly signals: { send?: () => void };
}

/** An account, its server, a gateway and a folder, all made for one test. */
export async function stage(options: StageOptions = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'knotless-tenant-'));
  const stateFolder = join(folder, 'state');
  const account: StandInAccount = {
    handle: `a${randomBytes(4).toString('hex')}.test`,
    did: `did:plc:${randomBytes(15)
      .toString('hex')
      .replace(/[0189]/g, 'x')
      .slice(0, 24)}`,
    password: `p"a$s'w${randomBytes(8).toString('hex')}`,
    ...options.account,
  };
  const server = await accountServer({
    account,
    pages: options.pages ?? 'current',
    ...options.accountServer,
  });
  const { handle, did } = account;
  const behind = await gateway({ accountServer: server, handle, did, ...options.gateway });
  const quoted = `'${account.password.replaceAll("'", "'\\''")}'`;
  const credentialLines = `export ATP_HANDLE="${handle}"\nexport ATP_PASSWORD=${quoted}\nexport ATP_PDS_URL="${server.origin}"\n`;
  const write = async (name: string, text: string, mode = 0o600): Promise<string> => {
    await writeFile(join(folder, name), text, { mode });
    return join(folder, name);
  };
  const signals: { send?: () => void } = {};

  const tenant: Stage['tenant'] = async (argv, { env = {}, terminal, onStderr } = {}) => {
    const { context, stdout, stderr, send } = testContext({ ...env }, folder);
    signals.send = () => send('SIGINT');
    if (onStderr) context.process.stderr.on('data', () => onStderr(stderr()));
    const process = { ...context.process, stdin: terminal ?? context.process.stdin };
    const { length } = argv;
    const words = ['--gateway', behind.origin, '--state-dir', stateFolder];
    await runCli(['tenant', ...argv.slice(0, 1), ...words, ...argv.slice(1, length)], {
      ...context,
      process,
    });
    const outcome = { code: process.exitCode ?? 0, stdout: stdout(), stderr: stderr() };
    const secrets = [account.password, account.handle, account.appPassword, account.emailCode, server.origin];
    for (const secret of [...secrets, ...behind.sessions]) {
      if (secret !== undefined) expect(outcome.stdout + outcome.stderr).not.toContain(secret);
    }
    return outcome;
  };

  return {
    account,
    server,
    gateway: behind,
    folder,
    stateFolder,
    credentialLines,
    write,
    tenant,
    signIn: async (run) =>
      tenant(['sign-in', '--credentials', await write('credentials', credentialLines)], run),
    stateFiles: async () => {
      const names = await readdir(stateFolder).catch(() => []);
      return Promise.all(
        names.sort().map(async (name) => {
          const { mode } = await stat(join(stateFolder, name));
          return `${name} ${(mode & 0o777).toString(8)}`;
        }),
      );
    },
    signals,
    async [Symbol.asyncDispose]() {
      await behind[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const readText = (...path: readonly string[]): Promise<string> => readFile(join(...path), 'utf8');
