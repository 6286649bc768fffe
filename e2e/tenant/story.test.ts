import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ClusterView } from '../contract/cluster-view.ts';
import { eventually } from '../contract/eventually.ts';
import { itIfAble } from '../contract/needs.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import { buildProduct, type Ended, type Product } from './product/command.ts';
import { credentialFile } from './product/credential-file.ts';
import { tenantPlace } from './product/tenant-place.ts';
import { workOf } from './product/work.ts';
import type { Account } from './servers/account.ts';
import { type AccountServer, startAccountServer } from './servers/account-server.ts';

const place = tenantPlace();
const namespace = `tenant-story-${randomUUID().slice(0, 8)}`;

let accounts: AccountServer;
let gateway: Gateway;
let product: Product;
let alice: Account;
beforeAll(async () => {
  [accounts, product] = await Promise.all([startAccountServer(), buildProduct()]);
  gateway = await startGateway({ accounts, backing: place.backing });
  alice = await accounts.createAccount('alice');
});
afterAll(async () => {
  await place.removeNamespace(namespace);
  await gateway?.[Symbol.asyncDispose]();
  await Promise.all([accounts?.[Symbol.asyncDispose](), product?.[Symbol.asyncDispose]()]);
});

const state = (name: string): string => join(product.home, '.tmp/knotless-runner-k8s/tenant', name);
const admin = (): string => state('story.kubeconfig.yaml');
const scoped = (): string => state('knotless-runner.kubeconfig.yaml');

async function isPrivate(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o777) === 0o600;
}

const tokenSchema = z.object({
  users: z.array(z.object({ user: z.object({ token: z.string() }) })).length(1),
});
const tokenIn = async (path: string): Promise<string> =>
  tokenSchema.parse(parse(await readFile(path, 'utf8'))).users[0]?.user.token ?? '';

const tenant = (action: string, cluster: string): Promise<Ended> =>
  product.call(['tenant', action, '--cluster', cluster, '--gateway', gateway.url]);

/** What must be seen nowhere. */
const secrets = new Set<string>();
const token = randomUUID();
secrets.add(token);

/** A run of two steps, one of which says a secret. */
async function run(name: string): Promise<void> {
  const here = join(product.home, name);
  await mkdir(join(here, 'checkout'), { recursive: true });
  await writeFile(join(here, 'checkout/hello.txt'), 'hello from the checkout\n');
  const steps = ['look\tcat hello.txt; echo "$TOKEN"; sleep 2', 'build\techo built >/outputs/made'];
  await writeFile(join(here, 'steps.tsv'), `${steps.join('\n')}\n`);
  const ended = await product.call(
    [
      ...['run', '--name', name, '--runner', alice.did, '--workdir', join(here, 'checkout')],
      ...['--steps-file', join(here, 'steps.tsv'), '--outputs', join(here, 'out'), '--secret', 'TOKEN'],
      ...['--result', join(here, 'result.json'), '--log', join(here, 'run.log'), '--kubeconfig', scoped()],
    ],
    { environment: { TOKEN: token } },
  );
  expect(ended).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(join(here, 'result.json'), 'utf8'))).toMatchObject({
    status: 'success',
    job: { namespace, deleted: true },
  });
  const log = await readFile(join(here, 'run.log'), 'utf8');
  expect(log).toContain('hello from the checkout\n');
  expect(log).not.toContain(token);
  expect(await readFile(join(here, 'out/made'), 'utf8')).toBe('built\n');
}

describe(`a tenant's story, on ${place.name}`, () => {
  it('signs in with a credential file', async () => {
    const credentials = await credentialFile(product.home, 'account', { ...alice, pds: accounts.url });
    secrets.add(alice.password);
    const ended = await product.call([
      ...['tenant', 'sign-in', '--gateway', gateway.url, '--credentials', credentials],
    ]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain(alice.did);
    expect(await isPrivate(state('session.json'))).toBe(true);
    for (const cookie of gateway.sessions.cookies()) secrets.add(cookie);
    expect(secrets.size).toBeGreaterThan(1);
  });

  it('creates a cluster, and waits until it is Ready', async () => {
    const ended = await tenant('create', 'story');
    expect(ended).toMatchObject({ code: 0 });
    const node = 'able' in place.scales ? 'no node now, as is normal' : 'its node is up';
    expect(ended.stdout).toContain(`the cluster story is Ready; ${node}`);
    expect(gateway.clusters.get('story')?.phase).toBe('Ready');
    secrets.add(gateway.clusters.get('story')?.adminToken ?? '');
    const status = await tenant('status', 'story');
    expect(status).toMatchObject({ code: 0 });
    expect(status.stdout).toContain('Ready');
  });

  it('gets its kubeconfig, and makes a narrow one of it', async () => {
    const got = await tenant('kubeconfig', 'story');
    expect(got).toMatchObject({ code: 0, stdout: `${admin()}\n` });
    expect(await isPrivate(admin())).toBe(true);
    const narrowed = await product.call([
      ...['kubeconfig', 'scope', '--kubeconfig', admin(), '-n', namespace, '--create-namespace'],
    ]);
    expect(narrowed).toMatchObject({ code: 0, stdout: `${scoped()}\n` });
    expect(await isPrivate(scoped())).toBe(true);
    secrets.add(await tokenIn(scoped()));
  });

  it('runs with the narrow one, and leaves nothing that is work', async () => {
    const view = new ClusterView(admin());
    const atWork = eventually('the run counts as work', async () =>
      (await workOf(view, namespace)).some((what) => what.startsWith('Pod/')) ? true : undefined,
    );
    await Promise.all([run('first'), atWork]);
    expect(await workOf(view, namespace)).toEqual([]);
  });

  itIfAble(place.scales, 'has no node when its hold is over, and one again for the next run', async () => {
    const { core } = new ClusterView(admin());
    const noNode = async (): Promise<true | undefined> =>
      (await core.listNode()).items.length === 0 ? true : undefined;
    await eventually('the node goes', noNode);
    await run('second');
    await eventually('the node goes again', noNode);
  });

  it('deletes the cluster, and all that was kept of it here', async () => {
    const ended = await tenant('delete', 'story');
    expect(ended).toMatchObject({ code: 0 });
    expect(gateway.clusters.has('story')).toBe(false);
    expect((await readdir(state('.'))).filter((name) => name.endsWith('.yaml'))).toEqual([]);
    const again = await tenant('delete', 'story');
    expect(again).toMatchObject({ code: 0 });
  });

  it('showed no secret to anybody', () => {
    expect(product.told()).toContain(alice.did); // what is searched is what was printed
    expect(secrets.size).toBe(5);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      expect(product.told().includes(secret)).toBe(false);
    }
  });
});
