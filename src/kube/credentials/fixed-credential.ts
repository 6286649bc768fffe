import type { ClientCertificate, Credential, CredentialExpiry, CredentialSource } from './credential.ts';
import { expiryOf } from './expiry.ts';

/** A credential that stands in the kubeconfig itself, or none at all. */
export function fixedCredential(authorization?: string): CredentialSource {
  const credential: Credential = { authorization, clientCertificate: undefined };
  return {
    current: async () => credential,
    renew: async () => credential,
    expiry: async () => {
      const at = expiryOf(credential);
      return at && { at, renewable: false };
    },
  };
}

/**
 * Adds a client certificate to what `inner` gives, unless that brings one of its own. `read` is called again
 * after a refusal: the files may have been renewed meanwhile.
 */
export function withClientCertificate(
  inner: CredentialSource,
  first: ClientCertificate,
  read: () => Promise<ClientCertificate>,
): CredentialSource {
  let certificate = first;
  let last: { readonly from: Credential; readonly credential: Credential } | undefined;
  const join = (from: Credential): Credential => {
    if (from.clientCertificate) return from;
    if (last?.from !== from || last.credential.clientCertificate !== certificate) {
      last = { from, credential: { ...from, clientCertificate: certificate } };
    }
    return last.credential;
  };
  return {
    current: async (signal) => join(await inner.current(signal)),
    renew: async (refused, signal) => {
      const newer = await read();
      if (newer.certificate !== certificate.certificate || newer.key !== certificate.key) certificate = newer;
      const innerRefused = last?.credential === refused ? last.from : refused;
      return join(await inner.renew(innerRefused, signal));
    },
    expiry: async (signal): Promise<CredentialExpiry | null> => {
      const at = expiryOf({ authorization: undefined, clientCertificate: certificate });
      const ends = [at && { at, renewable: false }, await inner.expiry(signal)].filter((end) => end !== null);
      return ends.sort((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null;
    },
  };
}
