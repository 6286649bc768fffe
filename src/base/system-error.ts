import { messageOf } from './errors.ts';

/** The `code` of a system error, or `unknown error`. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
}

/** Whether there is no such file. */
export function isMissing(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether by this code the other side's certificate was not accepted. */
export const isCertificateCode = (code: string): boolean =>
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|SELF_SIGNED_CERT|UNABLE_TO_)/.test(
    code,
  );

/** Whether by this code a TLS handshake failed for anything but a certificate. */
export const isTlsCode = (code: string): boolean => code === 'EPROTO' || code.startsWith('ERR_SSL_');

/** What a failed connection says. An AggregateError of several addresses that were tried has an empty message of its own. */
export function reasonsOf(error: unknown): string {
  if (!(error instanceof AggregateError)) return messageOf(error) || errorCodeOf(error);
  return [...new Set(error.errors.map((inner) => messageOf(inner)))].join('; ');
}
