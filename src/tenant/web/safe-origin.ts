import { isIP } from 'node:net';
import { RunnerError } from '../../base/errors.ts';
import { hostOf } from '../../kube/proxy.ts';

/** Whether a URL can only lead to this machine, where plain http is nobody else's to read. */
export function isLoopback(url: URL): boolean {
  const host = hostOf(url).toLowerCase();
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Throws where `url` is neither https nor on this machine, or carries a user. `what` begins the message. */
export function requireSafe(url: URL, what: string): URL {
  if (url.username || url.password) {
    throw new RunnerError('ProtocolViolation', `${what} has a user or password in its address`);
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url;
  throw new RunnerError(
    'ProtocolViolation',
    `${what} is at ${url.protocol}//${url.host}, which is not encrypted; nothing was sent there: it has to be https`,
  );
}
