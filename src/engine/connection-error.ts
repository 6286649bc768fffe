import { messageOf, RunnerError } from '../base/errors.ts';
import { type EngineAddress, engineUrl } from './engine-address.ts';

/** No answer came: why. What is a RunnerError already stays as it is. */
export function connectionError(thrown: unknown, address: EngineAddress): RunnerError {
  if (thrown instanceof RunnerError) return thrown;
  const url = engineUrl(address);
  const code = errorCodeOf(thrown);
  if (code === 'EACCES' || code === 'EPERM') {
    return new RunnerError(
      'Forbidden',
      `this user has no right to the engine's socket ${url}; join the group that owns it (mostly "docker"), or use a rootless engine`,
      { cause: thrown },
    );
  }
  if (isCertificateTrouble(code)) {
    return new RunnerError(
      'ConnectionLost',
      `the certificate of the engine ${url} was not accepted: ${messageOf(thrown)} (${code}); ca.pem in DOCKER_CERT_PATH, or of the docker context, has to name the CA that signed it`,
      { cause: thrown },
    );
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return new RunnerError('ConnectionLost', `the TLS handshake with the engine ${url} failed: ${code}`, {
      cause: thrown,
    });
  }
  return new RunnerError('ConnectionLost', `the connection to the engine ${url} failed: ${whyOf(thrown)}`, {
    cause: thrown,
    retry: true,
  });
}

/** The `code` of a system error, or nothing. */
const errorCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isCertificateTrouble = (code: string): boolean =>
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|SELF_SIGNED_CERT|UNABLE_TO_)/.test(
    code,
  );

/** An AggregateError of several addresses that were tried has an empty message of its own. */
function whyOf(thrown: unknown): string {
  if (!(thrown instanceof AggregateError)) return messageOf(thrown) || errorCodeOf(thrown);
  return [...new Set(thrown.errors.map((inner) => messageOf(inner)))].join('; ');
}
