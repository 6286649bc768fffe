import { BlockList, isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { badInput } from '../base/errors.ts';

/** Which proxy a request takes, with the meaning that the Go programs (kubectl) give to the variables. */

/**
 * The `proxy-url` of a cluster, or else what the environment says; null for none. A `proxy-url` is taken
 * whatever NO_PROXY says.
 */
export function proxyFor(
  server: URL,
  proxyUrl: string | undefined,
  environment: NodeJS.ProcessEnv,
): URL | null {
  if (proxyUrl !== undefined) return checkedProxy(proxyUrl, 'the proxy-url of the kubeconfig');
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = variable(environment, name);
  if (!value || !isProxied(server, variable(environment, 'NO_PROXY') ?? '')) return null;
  return checkedProxy(value, `the variable ${name}`);
}

function variable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name] || environment[name.toLowerCase()] || undefined;
}

function checkedProxy(value: string, origin: string): URL {
  const url = parsedUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (!url || url.hostname === '')
    throw badInput(`${origin} is no URL of a proxy, such as http://proxy:3128`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badInput(
      `${origin} names a ${url.protocol.slice(0, -1)} proxy, which is not supported; use an http or https proxy, or --transport kubectl`,
    );
  }
  return url;
}

function parsedUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

/** Whether NO_PROXY leaves `server` to the proxy. */
export function isProxied(server: URL, noProxy: string): boolean {
  const host = hostOf(server);
  const port = portOf(server);
  if (host === 'localhost' || isLoopback(host)) return false;
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  return !entries.some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const slash = entry.match(/^(.+)\/(\d{1,3})$/);
  if (slash?.[1] && slash[2] && isIP(slash[1])) return inSubnet(host, slash[1], Number(slash[2]));
  const [entryHost, entryPort] = splitPort(entry);
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(entryHost)) return isIP(host) !== 0 && sameAddress(entryHost, host);
  const domain = asciiDomain(entryHost.replace(/^\*\./, '.'));
  if (domain === '') return false;
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): readonly [host: string, port: string | undefined] {
  const [, bracketed, plain, port] = entry.match(/^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/) ?? [];
  return [bracketed ?? plain ?? entry, port || undefined];
}

const asciiDomain = (name: string): string => {
  const dot = name.startsWith('.') ? '.' : '';
  return dot + (domainToASCII(name.slice(dot.length)) || name.slice(dot.length));
};

function family(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function inSubnet(host: string, network: string, prefix: number): boolean {
  if (!isIP(host) || prefix > (isIPv6(network) ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family(network));
  return list.check(host, family(host));
}

function sameAddress(a: string, b: string): boolean {
  const list = new BlockList();
  list.addAddress(a, family(a));
  return list.check(b, family(b));
}

function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && (inSubnet(host, '127.0.0.0', 8) || inSubnet(host, '::1', 128));
}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** A proxy as messages name it: without its password. */
export function proxyName(proxy: URL): string {
  return `${proxy.protocol}//${proxy.host}`;
}
