import { describe, expect, it } from 'vitest';
import { isProxied, proxyFor } from '../../src/kube/proxy.ts';

describe('NO_PROXY, as Go reads it', () => {
  it.each([
    ['https://k8s.example.com', '', true],
    ['https://k8s.example.com', '*', false],
    ['https://k8s.example.com', 'example.com', false],
    ['https://k8s.example.com', '.example.com', false],
    ['https://k8s.example.com', '*.example.com', false],
    ['https://example.com', '.example.com', true],
    ['https://example.com', 'example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://k8s.example.com', ' other.org , EXAMPLE.com ', false],
    ['https://k8s.example.com:6443', 'example.com:6443', false],
    ['https://k8s.example.com', 'example.com:443', false],
    ['https://k8s.example.com:6443', 'example.com:443', true],
    ['https://10.1.2.3:6443', '10.0.0.0/8', false],
    ['https://11.1.2.3:6443', '10.0.0.0/8', true],
    ['https://10.1.2.3:6443', '10.1.2.3', false],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
    ['https://10.1.2.3:6443', '10.1.2.3:443', true],
    ['https://[fd00::1]:6443', 'fd00::/8', false],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', false],
    ['https://[fd00::1]:6443', 'fd00::1', false],
    ['https://[fd00::1]:6443', '10.0.0.0/8', true],
    ['https://k8s.example.com', '10.0.0.0/8,:443,,/8,999.0.0.0/8', true],
    ['https://localhost:6443', '', false],
    ['https://127.0.0.1:6443', '', false],
    ['https://127.9.9.9', '', false],
    ['https://[::1]:6443', '', false],
    ['https://my.localhost', '', true],
    ['https://münchen.example', 'münchen.example', false],
  ])('%s with "%s": proxied %s', (server, noProxy, proxied) => {
    expect(isProxied(new URL(server), noProxy)).toBe(proxied);
  });
});

describe('the proxy of a server', () => {
  const server = new URL('https://k8s.example.com');
  it.each([
    [{}, null],
    [{ HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
    [{ https_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
    [{ HTTPS_PROXY: '', https_proxy: 'https://proxy' }, 'https://proxy/'],
    [{ HTTP_PROXY: 'http://proxy:3128', ALL_PROXY: 'http://proxy:3128' }, null],
    [{ HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'example.com' }, null],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'other', no_proxy: 'example.com' }, 'http://proxy:3128/'],
  ])('in %j is %s', (environment, expected) => {
    expect(proxyFor(server, undefined, environment)?.href ?? null).toBe(expected);
  });

  it('is the one of the kubeconfig first, whatever the variables say', () => {
    const environment = { HTTPS_PROXY: 'http://dead:1', NO_PROXY: '*' };
    expect(proxyFor(server, 'http://own:8080', environment)?.host).toBe('own:8080');
  });

  it('is refused where it is of another kind, without its password', () => {
    const refuse = () => proxyFor(server, undefined, { HTTPS_PROXY: 'socks5://u:p4ssw0rd@p:1080' });
    expect(refuse).toThrow('the variable HTTPS_PROXY names a socks5 proxy');
    expect(refuse).not.toThrow(/p4ssw0rd/);
  });
});
