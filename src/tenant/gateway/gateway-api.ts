import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import type { Session } from '../sign-in/session.ts';
import { jsonOf } from '../web/json-answer.ts';
import type { WebAnswer, WebClient } from '../web/web-client.ts';
import { refusalError } from '../web/web-refusal.ts';
import { clusterOf, type TenantCluster } from './cluster-object.ts';
import { fieldOf } from './field.ts';
import { gatewayUrl } from './gateway-url.ts';

/** The gateway's clusters as the session's owner sees them. The client's jar holds the session's cookie. */
export class GatewayApi {
  readonly profile: GatewayProfile;
  readonly session: Session;
  readonly #client: WebClient;

  constructor(profile: GatewayProfile, session: Session, client: WebClient) {
    this.profile = profile;
    this.session = session;
    this.#client = client;
  }

  async list(signal: AbortSignal): Promise<readonly TenantCluster[]> {
    const { list } = this.profile.clusters;
    const asked = 'the list of clusters';
    const json = this.#json(await this.#send(list, asked, '', signal), asked);
    const items = z.array(z.unknown()).safeParse(Array.isArray(json) ? json : fieldOf(json, list.items));
    if (items.success) return items.data.map((item) => clusterOf(item, this.profile, ''));
    throw new RunnerError(
      'ProtocolViolation',
      `${asked}: the gateway gave none; does the profile's clusters.list.items name the right field?`,
    );
  }

  /** Null where there is none of that name. */
  async read(name: string, signal: AbortSignal): Promise<TenantCluster | null> {
    const asked = `the cluster ${name}`;
    const answer = await this.#send(this.profile.clusters.read, asked, name, signal);
    if (answer.status === 404) return null;
    return clusterOf(this.#json(answer, asked), this.profile, name);
  }

  /** `made`, `there` where it was there before, `refused` where the name is taken or the cluster is going. */
  async create(name: string, signal: AbortSignal): Promise<'made' | 'there' | 'refused'> {
    const { create } = this.profile.clusters;
    const asked = `the new cluster ${name}`;
    const body = JSON.stringify(filled(create.body, { name, did: this.session.did }));
    const answer = await this.#send(create, asked, name, signal, body);
    if (answer.status === 409) return 'refused';
    if (answer.status >= 300) throw refusalError(answer, asked, this.#client.clock.date());
    return answer.status === 200 ? 'there' : 'made';
  }

  /** Asks for it only: it is gone when it can no longer be read. */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    const asked = `the delete of the cluster ${name}`;
    const answer = await this.#send(this.profile.clusters.delete, asked, name, signal);
    if (answer.status >= 300 && answer.status !== 404 && answer.status !== 409) {
      throw refusalError(answer, asked, this.#client.clock.date());
    }
  }

  /** Null until the cluster is ready. */
  async kubeconfig(name: string, signal: AbortSignal): Promise<string | null> {
    const asked = `the kubeconfig of ${name}`;
    const answer = await this.#send(this.profile.clusters.kubeconfig, asked, name, signal);
    if (answer.status === 409 || answer.status === 503) return null;
    if (answer.status !== 200) throw refusalError(answer, asked, this.#client.clock.date());
    return answer.text;
  }

  async signOut(signal: AbortSignal): Promise<void> {
    const asked = "the gateway's sign-out";
    const url = gatewayUrl(this.profile, this.profile.signOut.path);
    const answer = await this.#client.send({ method: this.profile.signOut.method, url, asked, signal });
    if (answer.status >= 400 && answer.status !== 401) {
      throw refusalError(answer, asked, this.#client.clock.date());
    }
  }

  async #send(
    { method, path }: { readonly method: string; readonly path: string },
    asked: string,
    name: string,
    signal: AbortSignal,
    body?: string,
  ): Promise<WebAnswer> {
    const url = gatewayUrl(this.profile, path, name);
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const headers = { Accept: 'application/json, application/yaml', ...type };
    const content = body === undefined ? {} : { body };
    const answer = await this.#client.send({ method, url, asked, headers, signal, ...content });
    if (answer.status === 401) throw this.#sessionEnded();
    return answer;
  }

  #json(answer: WebAnswer, asked: string): unknown {
    return jsonOf(answer, z.unknown(), asked, this.#client.clock.date());
  }

  #sessionEnded(): RunnerError {
    const { expiresAt } = this.session;
    const isOver = expiresAt !== null && expiresAt <= this.#client.clock.date();
    const why = isOver
      ? `the session at the gateway ended at ${expiresAt.toISOString()}`
      : 'the gateway no longer takes the session: it ended or was revoked';
    return new RunnerError(
      'Unauthorized',
      `${why}; sign in again with tenant sign-in, and repeat the command: what was begun goes on at the gateway`,
    );
  }
}

/** The JSON with what stands in braces in its texts filled in. */
function filled(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (whole, name) => names[name] ?? whole);
  if (Array.isArray(value)) return value.map((item) => filled(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, names)]));
}
