import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envToCfg, envToSecrets, PDS } from '@atproto/pds';
import { Database, PlcServer } from '@did-plc/server';
import { type Account, createAccount } from './account.ts';
import { assemble, type Ends } from './assemble.ts';
import { loopbackServer } from './loopback-server.ts';

export interface AccountServer extends AsyncDisposable {
  /** The personal data server's address, which is also the authorization server's. */
  readonly url: string;
  /** The directory of identities, where a `did:plc` is looked up. */
  readonly plc: string;
  readonly pds: PDS;
  /** Makes an account with the handle `NAME.test`. */
  readonly createAccount: (name: string) => Promise<Account>;
}

/** A real atproto account server with a directory of its own, both on loopback. All that they store goes with them. */
export const startAccountServer = (): Promise<AccountServer> =>
  assemble(async (ends) => {
    const plc = await startDirectory(ends);
    const server = await loopbackServer();
    ends.add(async () => server[Symbol.asyncDispose]());
    const folder = await mkdtemp(join(tmpdir(), 'tenant-accounts-'));
    ends.add(() => rm(folder, { recursive: true, force: true }));
    const settings = {
      port: server.port,
      hostname: 'localhost',
      serviceDid: 'did:web:localhost',
      serviceHandleDomains: ['.test'],
      inviteRequired: false,
      devMode: true,
      didPlcUrl: plc,
      dataDirectory: folder,
      blobstoreDiskLocation: join(folder, 'blobs'),
      jwtSecret: secret(),
      dpopSecret: secret(),
      adminPassword: secret(),
      plcRotationKeyK256PrivateKeyHex: secret(),
    };
    const pds = await PDS.create(envToCfg(settings), envToSecrets(settings));
    ends.add(() => pds.destroy());
    await pds.ctx.sequencer.start();
    server.answerWith(pds.app);
    const url = `http://localhost:${server.port}`;
    return { url, plc, pds, createAccount: (name) => createAccount(url, name) };
  });

async function startDirectory(ends: Ends): Promise<string> {
  const server = await loopbackServer();
  ends.add(async () => server[Symbol.asyncDispose]());
  server.answerWith(PlcServer.create({ db: Database.mock() }).app);
  return `http://localhost:${server.port}`;
}

const secret = (): string => randomBytes(32).toString('hex');
