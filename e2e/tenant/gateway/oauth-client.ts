import {
  buildAtprotoLoopbackClientMetadata,
  NodeOAuthClient,
  type NodeSavedSession,
  type NodeSavedState,
  requestLocalLock,
} from '@atproto/oauth-client-node';

export interface OAuthSettings {
  /** The callback of this gateway, on 127.0.0.1. */
  readonly callback: `http://127.0.0.1:${number}/${string}`;
  /** A server that resolves handles. */
  readonly resolver: string;
  readonly plc: string;
}

/** The library does PAR, PKCE and DPoP; what it has to keep lies in memory. */
export const oauthClient = ({ callback, resolver, plc }: OAuthSettings): NodeOAuthClient =>
  new NodeOAuthClient({
    clientMetadata: buildAtprotoLoopbackClientMetadata({ scope: 'atproto', redirect_uris: [callback] }),
    stateStore: new MemoryStore<NodeSavedState>(),
    sessionStore: new MemoryStore<NodeSavedSession>(),
    handleResolver: resolver,
    plcDirectoryUrl: plc,
    allowHttp: true,
    requestLock: requestLocalLock,
  });

class MemoryStore<T> {
  readonly #all = new Map<string, T>();

  async get(key: string): Promise<T | undefined> {
    return this.#all.get(key);
  }

  async set(key: string, value: T): Promise<void> {
    this.#all.set(key, value);
  }

  async del(key: string): Promise<void> {
    this.#all.delete(key);
  }
}
