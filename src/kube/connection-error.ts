import { RunnerError } from '../base/errors.ts';
import { type ClusterTarget, serverName } from './cluster-target.ts';
import { errorCodeOf } from './error-code.ts';

const certificateCodes = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_CHAIN_TOO_LONG',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** No answer came: why, as ConnectionLost. What is a RunnerError already stays as it is. */
export function connectionError(thrown: unknown, target: ClusterTarget): RunnerError {
  if (thrown instanceof RunnerError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = errorCodeOf(error);
  const server = serverName(target);
  const why = reasonsOf(error);
  if (certificateCodes.has(code)) {
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
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
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

/** An AggregateError of several addresses that were tried has an empty message of its own. */
function reasonsOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message || errorCodeOf(error);
  const reasons = error.errors.map((inner) => (inner instanceof Error ? inner.message : String(inner)));
  return [...new Set(reasons)].join('; ');
}
