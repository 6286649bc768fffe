import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mergeKubeConfigs, parseKubeConfig } from '../../src/kube/kube-config.ts';
import { loadKubeConfig } from '../../src/kube/kube-config-files.ts';
import { chooseContext } from '../../src/kube/kube-context.ts';
import { connected, kubeconfig } from './fixtures/kubeconfig.ts';
import { type TempFolder, tempFolder } from './fixtures/temp-folder.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const secret = 'c2VjcmV0LXRva2VuLW9mLXRoZS10ZXN0';

describe('a kubeconfig', () => {
  it('is refused with line and column for bad YAML, without its text', () => {
    const parse = () => parseKubeConfig(`users:\n- name: a\n  user: {token: ${secret}\n`, '/etc/kc');
    expect(parse).toThrow(/the kubeconfig \/etc\/kc is not valid YAML at line \d+, column \d+/);
    expect(parse).not.toThrow(new RegExp(secret));
  });

  it('is refused at a value of the wrong type, by its place, without the value', () => {
    const parse = () => parseKubeConfig('users: [{name: a, user: {token: 123456789}}]', '/etc/kc');
    expect(parse).toThrow(/malformed at users\.0\.user\.token/);
    expect(parse).not.toThrow(/123456789/);
  });

  it('is refused where one name is defined twice', () => {
    const parse = () =>
      parseKubeConfig('contexts: [{name: a, context: {}}, {name: a, context: {}}]', '/etc/kc');
    expect(parse).toThrow('the kubeconfig /etc/kc defines the context "a" twice');
  });

  it('may be empty, and may have nulls and unknown keys', () => {
    expect(parseKubeConfig('', 'f').currentContext).toBeUndefined();
    const parsed = parseKubeConfig(
      'clusters: null\npreferences: {colors: true}\ncurrent-context: ""\nusers: [{name: a, user: null}]',
      'f',
    );
    expect(parsed.currentContext).toBeUndefined();
    expect(parsed.users.get('a')?.value.token).toBeUndefined();
  });

  it('refuses an alias bomb', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`)}]`);
    const bomb = ['l0: &l0 x', ...levels].join('\n');
    expect(() => parseKubeConfig(bomb, '/etc/kc')).toThrow('the kubeconfig /etc/kc uses YAML aliases');
  });
});

describe('several kubeconfigs', () => {
  const first = parseKubeConfig('users: [{name: a, user: {token: one}}]', '/one');
  const second = parseKubeConfig(
    'current-context: c\nusers: [{name: a, user: {token: two, username: u}}, {name: b, user: {token: b}}]',
    '/two',
  );

  it('are merged so that the first definition of a name wins whole', () => {
    const merged = mergeKubeConfigs([first, second]);
    expect(merged.users.get('a')).toMatchObject({ file: '/one', value: { token: 'one' } });
    expect(merged.users.get('a')?.value.username).toBeUndefined();
    expect(merged.users.get('b')).toMatchObject({ file: '/two' });
    expect(merged.currentContext).toBe('c');
  });

  it('are found by KUBECONFIG, missing and repeated ones being left out', async () => {
    const a = await folder.write('a', 'current-context: a');
    const b = await folder.write('b', 'current-context: b');
    const KUBECONFIG = ['', join(folder.path, 'missing'), a, b, a].join(':');
    const loaded = await loadKubeConfig({ environment: { KUBECONFIG }, homeFolder: '/nonexistent' });
    expect(loaded).toMatchObject({ files: [a, b], config: { currentContext: 'a' } });
  });

  it('give way to the explicit one', async () => {
    const a = await folder.write('a', 'current-context: a');
    const b = await folder.write('b', 'current-context: b');
    const environment = { KUBECONFIG: a };
    const loaded = await loadKubeConfig({ environment, homeFolder: '/nonexistent', explicitFile: b });
    expect(loaded?.config.currentContext).toBe('b');
  });

  it('are looked for in the home folder last', async () => {
    await mkdir(join(folder.path, '.kube'));
    await symlink(await folder.write('a', 'current-context: home'), join(folder.path, '.kube', 'config'));
    const loaded = await loadKubeConfig({ environment: { KUBECONFIG: '' }, homeFolder: folder.path });
    expect(loaded?.config.currentContext).toBe('home');
  });
});

describe('the choice of a context', () => {
  const loaded = (text: string) => ({ config: parseKubeConfig(text, '/kc'), files: ['/kc'] });
  const contexts =
    'contexts: [{name: m, context: {cluster: c, user: u, namespace: n}}, {name: k, context: {cluster: gone}}]\nclusters: [{name: c, cluster: {server: "https://a"}}]\n';

  it('names the contexts there are when none is current', () => {
    expect(() => chooseContext(loaded(contexts), undefined)).toThrow(
      'the kubeconfig /kc has no current context; choose one with --context (m, k)',
    );
  });

  it('names context, cluster and user that are not there', () => {
    expect(() => chooseContext(loaded(contexts), 'x')).toThrow('/kc has no context "x"; it has m, k');
    expect(() => chooseContext(loaded(contexts), 'k')).toThrow(/for the cluster "gone".*it has c/);
    expect(() => chooseContext(loaded(contexts), 'm')).toThrow(/for the user "u".*it has none/);
  });

  it('gives cluster, user and namespace', () => {
    const text = `current-context: k\n${contexts}users: [{name: u, user: {token: t}}]`;
    expect(chooseContext(loaded(text), 'm')).toMatchObject({
      clusterName: 'c',
      userName: 'u',
      namespace: 'n',
    });
  });
});

describe('connectToCluster refuses as bad input', () => {
  const refusal = (file: string, options = {}) =>
    connected(file, options).then(
      () => 'connected',
      (error) => `${error.code}: ${error.message}`,
    );

  it('a kubeconfig that is missing, a folder, or locked', async () => {
    const missing = join(folder.path, 'missing');
    expect(await refusal(missing)).toBe(`BadInput: the kubeconfig ${missing} does not exist`);
    expect(await refusal(folder.path)).toMatch(/^BadInput: the kubeconfig .* is a folder/);
  });

  it('nothing configured at all, naming --embedded and --kubeconfig', async () => {
    const said = await refusal('', { kubeconfig: undefined, homeFolder: folder.path });
    expect(said).toMatch(/^BadInput: no cluster is configured: .*\.kube\/config does not exist/);
    expect(said).toContain('--embedded');
    expect(said).toContain('--kubeconfig');
  });

  it.each([
    ['no server', {}, {}, /has no server/],
    ['a server that is no URL', { server: 'https://[' }, {}, /has a server that is no URL/],
    ['another protocol', { server: 'ftp://a' }, {}, /neither https:\/\/ nor http:\/\//],
    ['credentials in the address', { server: 'https://u:p4ssw0rd@a' }, {}, /has credentials in its server's/],
    [
      'a CA that is missing',
      { server: 'https://a', 'certificate-authority': 'ca.pem' },
      {},
      /ca\.pem of the cluster "east".*cannot be read \(ENOENT\)/,
    ],
    [
      'a CA that is none',
      { server: 'https://a', 'certificate-authority-data': 'eHh4' },
      {},
      /certificate-authority-data .* is no PEM/,
    ],
    [
      'a CA and no verification',
      { server: 'https://a', 'certificate-authority-data': 'eHh4', 'insecure-skip-tls-verify': true },
      {},
      /both a certificate-authority and insecure/,
    ],
    [
      'a SOCKS proxy',
      { server: 'https://a', 'proxy-url': 'socks5://p:1080' },
      {},
      /names a socks5 proxy, which is not supported/,
    ],
    [
      'an auth provider',
      { server: 'https://a' },
      { 'auth-provider': { name: 'gcp' } },
      /uses the auth-provider "gcp", which Kubernetes has removed/,
    ],
    ['two ways to sign in', { server: 'https://a' }, { token: 'tttt', username: 'u' }, /only one of them/],
    ['a key alone', { server: 'https://a' }, { 'client-key': 'k' }, /client key without its certificate/],
    [
      'a certificate alone',
      { server: 'https://a' },
      { 'client-certificate': 'c' },
      /client certificate without its key/,
    ],
    [
      'a plugin without a command',
      { server: 'https://a' },
      { exec: { apiVersion: 'client.authentication.k8s.io/v1' } },
      /plugin without a command/,
    ],
    [
      'an old plugin',
      { server: 'https://a' },
      { exec: { command: 'c', apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
      /v1alpha1".*are supported/,
    ],
    [
      'a v1 plugin without a mode',
      { server: 'https://a' },
      { exec: { command: 'c', apiVersion: 'client.authentication.k8s.io/v1' } },
      /without interactiveMode/,
    ],
    [
      'a plugin that needs a terminal',
      { server: 'https://a' },
      { exec: { command: 'c', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Always' } },
      /must ask at a terminal/,
    ],
  ])('%s', async (_name, cluster, user, message) => {
    const file = await folder.write('kc', kubeconfig(cluster, user));
    const said = await refusal(file);
    expect(said).toMatch(message);
    expect(said).toMatch(/^BadInput/);
    expect(said).toContain(cluster && 'proxy-url' in cluster ? 'kubeconfig' : file);
    expect(said).not.toContain('p4ssw0rd');
  });
});

describe('the namespace', () => {
  it.each([
    [{}, {}, 'default'],
    [{ namespace: 'mine' }, {}, 'mine'],
    [{ namespace: 'mine' }, { namespace: 'other' }, 'other'],
  ])('of %j with %j is %s', async (context, options, expected) => {
    const file = await folder.write('kc', kubeconfig({ server: 'https://a' }, {}, context));
    const { api } = await connected(file, options);
    expect(api.namespace).toBe(expected);
    await api[Symbol.asyncDispose]();
  });
});
