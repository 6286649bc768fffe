import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { RunnerError } from '../../base/errors.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import { bearer, type Credential, type CredentialSource } from './credential.ts';
import { expiryOf } from './expiry.ts';

/** kubectl's: a file that is renewed every hour may be half a minute late, not more. */
const staleAfterMs = 50_000;

/** A bearer token in a file that others renew. What was read last stands while the file cannot be read. */
export function tokenFileCredential(file: string, clock: Clock): CredentialSource {
  let last: { readonly credential: Credential; readonly readAt: number } | undefined;
  const read = async (): Promise<Credential> => {
    try {
      const credential = { authorization: bearer(await readToken(file)), clientCertificate: undefined };
      const same = last?.credential.authorization === credential.authorization;
      last = { credential: same && last ? last.credential : credential, readAt: clock.now() };
    } catch (error) {
      if (!last) throw error;
    }
    return last.credential;
  };
  const current = async (): Promise<Credential> =>
    last && clock.now() - last.readAt < staleAfterMs ? last.credential : read();
  return {
    current,
    renew: read,
    expiry: async () => {
      const at = expiryOf(await current());
      return at && { at, renewable: true };
    },
  };
}

async function readToken(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new RunnerError(
      'BadInput',
      `the token file ${file} of the kubeconfig cannot be read (${errorCodeOf(error)})`,
      { cause: error },
    );
  }
  const token = text.trim();
  if (token === '') throw new RunnerError('BadInput', `the token file ${file} of the kubeconfig is empty`);
  if (/[^\x21-\x7e]/.test(token)) {
    throw new RunnerError('BadInput', `the token file ${file} of the kubeconfig holds no bearer token`);
  }
  return token;
}
