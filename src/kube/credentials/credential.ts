/** What proves to the server who is asking. Never printed. */
export interface Credential {
  /** The value of the `Authorization` header. */
  readonly authorization: string | undefined;
  readonly clientCertificate: ClientCertificate | undefined;
}

export interface ClientCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

export interface CredentialExpiry {
  readonly at: Date;
  /** Whether it is renewed without anybody's help: by a plugin, or in the file that it is read from. */
  readonly renewable: boolean;
}

export interface CredentialSource {
  current(signal?: AbortSignal): Promise<Credential>;
  /** After the server refused `refused`: a newer one, or the very same object where there is none. */
  renew(refused: Credential, signal?: AbortSignal): Promise<Credential>;
  /** Null where it is not known. */
  expiry(signal?: AbortSignal): Promise<CredentialExpiry | null>;
}

export const bearer = (token: string): string => `Bearer ${token}`;

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
