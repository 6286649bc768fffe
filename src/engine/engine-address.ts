import { badInput } from '../base/errors.ts';

/** Where an engine listens. */
export type EngineAddress = UnixAddress | TcpAddress | SshAddress;

interface UnixAddress {
  readonly kind: 'unix';
  readonly path: string;
}

interface TcpAddress {
  readonly kind: 'tcp';
  readonly host: string;
  readonly port: number;
  readonly tls: EngineTls | undefined;
}

/** The engine of another machine, as that machine's own `docker` finds it, or at `path` there. */
export interface SshAddress {
  readonly kind: 'ssh';
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
  readonly path: string | undefined;
}

/** In PEM. The server is always checked. */
export interface EngineTls {
  /** Without it, the system's authorities. */
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

const plainPort = 2375;
const tlsPort = 2376;

/** Reads a URL as DOCKER_HOST has it. `tls` is for tcp alone. Throws BadInput. */
export function parseEngineUrl(text: string, tls: EngineTls | undefined): EngineAddress {
  if (text.startsWith('unix://')) return unixAddress(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  switch (url?.protocol) {
    case 'tcp:':
    case 'http:':
    case 'https:':
      return tcpAddress(url, text, tls);
    case 'ssh:':
      return sshAddress(url, text);
    case 'npipe:':
      throw wrong(text, 'named pipes are of Windows, where this runner does not run');
    default:
      throw wrong(text, 'it has none of the schemes unix, tcp, ssh');
  }
}

/** As messages and the journal name it: a URL that `docker -H` takes. Holds no secret. */
export function engineUrl(address: EngineAddress): string {
  switch (address.kind) {
    case 'unix':
      return `unix://${address.path}`;
    case 'tcp':
      return `tcp://${bracketed(address.host)}:${address.port}`;
    case 'ssh': {
      const user = address.user === undefined ? '' : `${address.user}@`;
      const port = address.port === undefined ? '' : `:${address.port}`;
      return `ssh://${user}${bracketed(address.host)}${port}${address.path ?? ''}`;
    }
  }
}

/** Whether the engine is on this machine, where packing what is sent does not pay. */
export const isHere = (address: EngineAddress): boolean =>
  address.kind === 'unix' || (address.kind === 'tcp' && /^(localhost|127\.[0-9.]+|::1)$/.test(address.host));

/** Whether whoever is on the way to the engine can read what it is told, secrets among it. */
export const isReadableOnTheWay = (address: EngineAddress): boolean =>
  address.kind === 'tcp' && !address.tls && !isHere(address);

function unixAddress(text: string): UnixAddress {
  const path = text.slice('unix://'.length);
  if (!path.startsWith('/')) throw wrong(text, 'the path of its socket does not begin with a slash');
  return { kind: 'unix', path };
}

function tcpAddress(url: URL, text: string, tls: EngineTls | undefined): TcpAddress {
  // of another scheme than http, a URL's default port is not left out and its host is not checked
  const host = unbracketed(url.hostname);
  if (host === '') throw wrong(text, 'it names no host');
  if (url.username !== '' || url.password !== '') throw wrong('tcp://…', 'an engine takes no password');
  if (url.pathname !== '' && url.pathname !== '/') throw wrong(text, 'an engine has no path');
  const isTls = tls !== undefined || url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? tlsPort : plainPort) : Number(url.port);
  const own = isTls ? (tls ?? { ca: undefined, certificate: undefined, key: undefined }) : undefined;
  return { kind: 'tcp', host, port, tls: own };
}

function sshAddress(url: URL, text: string): SshAddress {
  if (url.password !== '') throw wrong('ssh://…', 'it holds a password; let ssh find a key instead');
  const host = unbracketed(url.hostname);
  const user = url.username === '' ? undefined : decodeURIComponent(url.username);
  if (host === '') throw wrong(text, 'it names no host');
  // ssh would take them for options
  if (host.startsWith('-') || user?.startsWith('-')) throw wrong(text, 'a name in it begins with -');
  return {
    kind: 'ssh',
    user,
    host,
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname === '' || url.pathname === '/' ? undefined : decodeURIComponent(url.pathname),
  };
}

const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const wrong = (text: string, why: string): Error =>
  badInput(
    `${JSON.stringify(text)} is no address of an engine: ${why}; write unix:///var/run/docker.sock, tcp://HOST:2376 or ssh://USER@HOST`,
  );
