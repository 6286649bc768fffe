import { messageOf, RunnerError } from '../base/errors.ts';
import { errorCodeOf, isCertificateCode, isTlsCode, reasonsOf } from '../base/system-error.ts';
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
  if (isCertificateCode(code)) {
    return new RunnerError(
      'ConnectionLost',
      `the certificate of the engine ${url} was not accepted: ${messageOf(thrown)} (${code}); ca.pem in DOCKER_CERT_PATH, or of the docker context, has to name the CA that signed it`,
      { cause: thrown },
    );
  }
  if (isTlsCode(code)) {
    return new RunnerError('ConnectionLost', `the TLS handshake with the engine ${url} failed: ${code}`, {
      cause: thrown,
    });
  }
  return new RunnerError(
    'ConnectionLost',
    `the connection to the engine ${url} failed: ${reasonsOf(thrown)}`,
    {
      cause: thrown,
      retry: true,
    },
  );
}
