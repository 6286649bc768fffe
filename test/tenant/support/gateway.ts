import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { StandInAccountServer } from './account-server.ts';
import { type Asked, type SmallServer, sendJson, smallServer } from './small-server.ts';

export interface GatewayOptions {
  readonly accountServer: StandInAccountServer;
  readonly handle: string;
  readonly did: string;
  readonly sessionMs?: number;
  /** Answers in place of the gateway where it returns true. */
  readonly instead?: (asked: Asked, response: ServerResponse) => boolean;
  /** The kubeconfig of a cluster that is Ready. */
  readonly kubeconfig?: (origin: string, name: string) => string;
  /** The status of a cluster at each time that it is read after it was made; the last one stays. */
  readonly coming?: readonly object[];
  /** How often a cluster is still there, and Draining, after its delete. */
  readonly drains?: number;
}

export interface StandInGateway extends SmallServer {
  /** The values of all session cookies so far. */
  readonly sessions: readonly string[];
  readonly endSessions: () => void;
  /** Clusters by name, with their owner. */
  readonly clusters: Map<string, StandInCluster>;
}

interface StandInCluster {
  readonly owner: string;
  /** Statuses still to come; the first is that of now. */
  statuses: readonly object[];
  draining: boolean;
}

const clusterPath = /^\/api\/clusters\/([a-z0-9-]+)(\/kubeconfig)?$/;

/** A gateway as the default profile has it. */
export async function gateway(options: GatewayOptions): Promise<StandInGateway> {
  const { accountServer, handle, did } = options;
  const live = new Map<string, number>();
  const sessions: string[] = [];
  const states = new Map<string, Handover | null>();
  const handovers = new Map<string, Handover>();
  const clusters = new Map<string, StandInCluster>();
  const server: SmallServer = await smallServer('127.0.0.1', (asked, response) => {
    if (!options.instead?.(asked, response)) respond(asked, response);
  });

  interface Handover {
    readonly returnTo: string;
    readonly state: string;
    readonly challenge: string;
  }

  function respond(asked: Asked, response: ServerResponse): void {
    const { method, url } = asked;
    const route = `${method} ${url.pathname}`;
    if (route === 'POST /auth/atproto/login') {
      lead(new URLSearchParams(asked.body).get('handle'), null, response);
    } else if (route === 'GET /auth/atproto/login') {
      const query = url.searchParams;
      const [returnTo, state, challenge] = ['return_to', 'state', 'code_challenge'].map(
        (name) => query.get(name) ?? '',
      );
      lead(
        query.get('handle'),
        { returnTo: returnTo ?? '', state: state ?? '', challenge: challenge ?? '' },
        response,
      );
    } else if (route === 'GET /auth/atproto/callback') {
      comeBack(url, response);
    } else if (route === 'POST /auth/session') {
      handOver(new URLSearchParams(asked.body), response);
    } else if (url.pathname.startsWith('/api/')) {
      const session = asked.cookies.get('socialweb_session') ?? '';
      if ((live.get(session) ?? 0) > Date.now()) api(asked, session, response);
      else sendJson(response, 401, { error: 'Unauthorized' });
    } else {
      sendJson(response, 404, { error: 'NotFound' });
    }
  }

  function lead(asked: string | null, handover: Handover | null, response: ServerResponse): void {
    if (asked !== handle && asked !== did) {
      sendJson(response, 400, { error: 'unknown handle' });
      return;
    }
    const state = randomBytes(8).toString('hex');
    states.set(state, handover);
    const clientId = `${server.origin}/client-metadata.json`;
    const page = accountServer.push(clientId, `${server.origin}/auth/atproto/callback`, state);
    response.writeHead(302, { Location: page }).end();
  }

  function comeBack(url: URL, response: ServerResponse): void {
    const state = url.searchParams.get('state') ?? '';
    const handover = states.get(state);
    const owner = accountServer.redeem(url.searchParams.get('code') ?? '');
    if (handover === undefined || owner === undefined) {
      sendJson(response, 400, { error: 'bad code' });
      return;
    }
    states.delete(state);
    if (handover === null) {
      response.writeHead(302, { Location: '/', 'Set-Cookie': newCookie() }).end();
      return;
    }
    const code = randomBytes(16).toString('hex');
    handovers.set(code, handover);
    const back = new URL(handover.returnTo);
    back.searchParams.set('code', code);
    back.searchParams.set('state', handover.state);
    response.writeHead(302, { Location: back.href }).end();
  }

  function handOver(form: URLSearchParams, response: ServerResponse): void {
    const handover = handovers.get(form.get('code') ?? '');
    handovers.delete(form.get('code') ?? '');
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (handover?.challenge !== verified) {
      sendJson(response, 400, { error: 'bad code or verifier' });
      return;
    }
    response.setHeader('Set-Cookie', newCookie());
    sendJson(response, 200, {});
  }

  function newCookie(): string {
    const value = randomBytes(16).toString('base64url');
    sessions.push(value);
    live.set(value, Date.now() + (options.sessionMs ?? 3_600_000));
    return `socialweb_session=${value}; Path=/; HttpOnly; Secure; SameSite=Lax`;
  }

  function api(asked: Asked, session: string, response: ServerResponse): void {
    const { method, url } = asked;
    const [, name, kubeconfig] = clusterPath.exec(url.pathname) ?? [];
    if (url.pathname === '/api/session' && method === 'DELETE') {
      live.delete(session);
      sendJson(response, 200, {});
    } else if (url.pathname === '/api/session') {
      sendJson(response, 200, { did, handle, expiresAt: new Date(live.get(session) ?? 0).toISOString() });
    } else if (url.pathname === '/api/clusters') {
      const own = [...clusters].filter(([, { owner }]) => owner === did);
      sendJson(response, 200, { items: own.map(([each]) => objectOf(each)) });
    } else if (name === undefined) {
      sendJson(response, 404, { error: 'NotFound' });
    } else if (kubeconfig !== undefined) {
      sendKubeconfig(name, response);
    } else {
      onCluster(method, name, response);
    }
  }

  function onCluster(method: string, name: string, response: ServerResponse): void {
    const there = clusters.get(name);
    if (method === 'PUT' && there === undefined) {
      clusters.set(name, { owner: did, statuses: options.coming ?? [{ phase: 'Ready' }], draining: false });
      sendJson(response, 201, objectOf(name));
    } else if (there === undefined || (there.owner !== did && method !== 'PUT')) {
      sendJson(response, 404, { error: 'NotFound' });
    } else if (method === 'PUT') {
      const refused = there.owner !== did || there.draining;
      sendJson(response, refused ? 409 : 200, refused ? { error: 'Conflict' } : objectOf(name));
    } else if (method === 'DELETE') {
      const message = 'the node is being drained';
      const drained = {
        phase: 'Draining',
        conditions: [{ type: 'Drained', status: 'False', reason: 'NodeLeaving', message }],
      };
      there.draining = true;
      there.statuses = Array.from({ length: options.drains ?? 1 }, () => drained);
      sendJson(response, 202, objectOf(name));
    } else {
      sendJson(response, 200, objectOf(name));
      if (there.statuses.length > 1) there.statuses = there.statuses.slice(1);
      else if (there.draining) clusters.delete(name);
    }
  }

  function sendKubeconfig(name: string, response: ServerResponse): void {
    const status = clusters.get(name)?.statuses[0];
    const phase = status !== undefined && 'phase' in status ? status.phase : undefined;
    if (status === undefined) sendJson(response, 404, { error: 'NotFound' });
    else if (phase !== 'Ready') sendJson(response, 409, { error: 'NotReady', phase });
    else {
      const text = options.kubeconfig?.(server.origin, name) ?? '';
      response.writeHead(200, { 'Content-Type': 'application/yaml' }).end(text);
    }
  }

  function objectOf(name: string): object {
    const { owner, statuses } = clusters.get(name) ?? { owner: did, statuses: [] };
    return {
      apiVersion: 'socialweb.computer/v1alpha1',
      kind: 'Cluster',
      metadata: { name },
      spec: { account: owner, running: true },
      status: statuses[0] ?? {},
    };
  }

  return { ...server, sessions, endSessions: () => live.clear(), clusters };
}
