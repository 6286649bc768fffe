import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';

/** A Kubernetes API with nothing around it: no retries, no deadlines, no checks. The floor to measure against. */
export interface BareApi {
  readonly server: string;
  readonly namespace: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  call(method: string, path: string, body?: unknown): Promise<string>;
  /** Answers line by line until `seen` returns true. */
  watch(path: string, seen: (line: string) => boolean): Promise<void>;
}

export async function connectBare(kubeconfig: string, namespace: string): Promise<BareApi> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const server = config.getCurrentCluster()?.server;
  if (!server) throw new Error(`${kubeconfig} names no cluster`);
  const options: RequestOptions & { ca?: string; cert?: string; key?: string } = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key } = options;
  const agent = new Agent({
    keepAlive: true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  const authorization = new Headers(
    Object.entries({ ...options.headers }).map(([name, value]) => [name, String(value)]),
  );
  const headers = Object.fromEntries(authorization);
  const open = (method: string, path: string, body?: unknown): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const more =
        sent === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) };
      request(new URL(path, server), { method, agent, headers: { ...headers, ...more } }, resolve)
        .on('error', reject)
        .end(sent);
    });
  return {
    server,
    namespace,
    agent,
    headers,
    async call(method, path, body) {
      const answer = await open(method, path, body);
      const said = await text(answer);
      if ((answer.statusCode ?? 500) >= 300)
        throw new Error(`${method} ${path}: ${answer.statusCode} ${said.slice(0, 300)}`);
      return said;
    },
    async watch(path, seen) {
      const answer = await open('GET', path);
      let rest = '';
      answer.setEncoding('utf8');
      for await (const part of answer) {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        if (lines.some(seen)) return void answer.destroy();
      }
      throw new Error(`the watch of ${path} ended`);
    },
  };
}
