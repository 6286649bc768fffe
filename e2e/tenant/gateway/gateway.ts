import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { AccountServer } from '../servers/account-server.ts';
import { assemble } from '../servers/assemble.ts';
import { loopbackServer } from '../servers/loopback-server.ts';
import type { Backing } from './backing.ts';
import { type Clusters, clusterRoutes } from './cluster-routes.ts';
import { startFront } from './front.ts';
import { oauthClient } from './oauth-client.ts';
import { Sessions } from './sessions.ts';
import { signInRoutes } from './sign-in-routes.ts';

export interface GatewayOptions {
  readonly accounts: AccountServer;
  readonly backing: Backing;
  /** How long a session lasts. Default: 12 hours. */
  readonly sessionMs?: number;
}

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly sessions: Sessions;
  readonly clusters: Clusters;
}

/** A gateway that speaks the profile of version 1: it signs tenants in, and keeps their clusters. */
export const startGateway = ({
  accounts,
  backing,
  sessionMs = 12 * 3_600_000,
}: GatewayOptions): Promise<Gateway> =>
  assemble(async (ends) => {
    const clusters: Clusters = new Map();
    const front = await startFront(() => clusters.values());
    ends.add(async () => front[Symbol.asyncDispose]());
    ends.add(() => Promise.all([...clusters.values()].map((cluster) => cluster.drain())));
    const server = await loopbackServer();
    ends.add(async () => server[Symbol.asyncDispose]());
    const { port } = server;
    const sessions = new Sessions(sessionMs);
    const client = oauthClient({
      callback: `http://127.0.0.1:${port}/auth/atproto/callback`,
      resolver: accounts.url,
      plc: accounts.plc,
    });
    const app = new Hono();
    app.route('/', signInRoutes(client, sessions));
    app.route('/', clusterRoutes(clusters, sessions, front, backing));
    app.get('/', (c) => c.html('<!doctype html><title>Signed in</title><h1>Signed in</h1>'));
    app.onError((error, c) => {
      if (error instanceof HTTPException) return error.getResponse();
      console.error('the gateway failed', error);
      return c.json({ error: 'Internal', message: 'the gateway failed' }, 500);
    });
    server.answerWith(getRequestListener(app.fetch));
    return { url: `http://127.0.0.1:${port}`, sessions, clusters };
  });
