import { RunnerError } from '../base/errors.ts';
import { errorCodeOf, isCertificateCode, isTlsCode, reasonsOf } from '../base/system-error.ts';
import { type ClusterTarget, serverName } from './cluster-target.ts';

/** No answer came: why, as ConnectionLost. What is a RunnerError already stays as it is. */
export function connectionError(thrown: unknown, target: ClusterTarget): RunnerError {
  if (thrown instanceof RunnerError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = errorCodeOf(error);
  const server = serverName(target);
  const why = reasonsOf(error);
  if (isCertificateCode(code)) {
    const cure =
      code === 'ERR_TLS_CERT_ALTNAME_INVALID'
        ? 'tls-server-name in the kubeconfig can name the host that it is for'
        : 'the kubeconfig must name the CA that signed it';
    const whatToDo = target.trust.cure ?? cure;
    return new RunnerError(
      'ConnectionLost',
      `the certificate of ${server} was not accepted: ${why} (${code}); it was checked against ${target.trust.name}; ${whatToDo}`,
      { cause: error },
    );
  }
  if (isTlsCode(code)) {
    return new RunnerError('ConnectionLost', `the TLS handshake with ${server} failed: ${why}`, {
      cause: error,
    });
  }
  if (code.startsWith('HPE_')) {
    return new RunnerError('ConnectionLost', `${server} does not speak HTTP/1.1: ${why}`, { cause: error });
  }
  return new RunnerError('ConnectionLost', `the connection to ${server} failed: ${why}`, {
    cause: error,
    retry: true,
  });
}
