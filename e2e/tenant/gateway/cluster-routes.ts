import { Hono } from 'hono';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Backing } from './backing.ts';
import { clusterPath } from './cluster-object.ts';
import type { Front } from './front.ts';
import { refusal } from './refusal.ts';
import { sessionOf } from './session-cookie.ts';
import type { Session, Sessions } from './sessions.ts';
import { TenantCluster } from './tenant-cluster.ts';

/** Cluster-scoped: a name is one tenant's, whoever else would like it. */
export type Clusters = Map<string, TenantCluster>;

const nameSchema = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const bodySchema = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ account: z.string(), running: z.boolean() }),
});

export function clusterRoutes(clusters: Clusters, sessions: Sessions, front: Front, backing: Backing): Hono {
  const routes = new Hono();

  const own = (session: Session, name: string): TenantCluster => {
    const cluster = clusters.get(name);
    if (cluster?.account !== session.did) throw refusal(404, 'NotFound', `there is no cluster ${name}`);
    return cluster;
  };

  routes.get('/api/clusters', async (c) => {
    const { did } = sessionOf(c, sessions);
    const mine = [...clusters.values()].filter(({ account }) => account === did);
    return c.json({ items: await Promise.all(mine.map((cluster) => cluster.show())) });
  });

  routes.put('/api/clusters/:name', async (c) => {
    const { did } = sessionOf(c, sessions);
    const name = nameSchema.safeParse(c.req.param('name'));
    if (!name.success) throw refusal(400, 'InvalidName', 'the name of a cluster is a DNS label');
    const body = bodySchema.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success || body.data.metadata.name !== name.data || body.data.spec.account !== did)
      throw refusal(400, 'InvalidRequest', 'a Cluster of this name and account is due');
    const there = clusters.get(name.data);
    if (there && there.account !== did) throw refusal(409, 'Taken', `the name ${name.data} is taken`);
    if (there?.phase === 'Draining')
      throw refusal(409, 'Draining', `${name.data} is being deleted`, { phase: 'Draining' });
    if (there) return c.json(await there.show(), 200);
    const made = new TenantCluster(name.data, did, front.url + clusterPath(did, name.data), backing);
    clusters.set(made.name, made);
    return c.json(await made.show(), 201);
  });

  routes.get('/api/clusters/:name', async (c) =>
    c.json(await own(sessionOf(c, sessions), c.req.param('name')).show()),
  );

  routes.delete('/api/clusters/:name', async (c) => {
    const cluster = own(sessionOf(c, sessions), c.req.param('name'));
    if (cluster.phase !== 'Draining')
      cluster.drain().then(
        () => clusters.delete(cluster.name),
        (error: unknown) => console.error(`the cluster ${cluster.name} could not be torn down`, error),
      );
    return c.json(await cluster.show(), 202);
  });

  routes.get('/api/clusters/:name/kubeconfig', (c) => {
    const cluster = own(sessionOf(c, sessions), c.req.param('name'));
    const { phase } = cluster;
    if (phase !== 'Ready') throw refusal(409, 'NotReady', `the cluster is ${phase}`, { phase });
    return c.body(kubeconfigOf(cluster, front), 200, { 'content-type': 'application/yaml' });
  });

  return routes;
}

function kubeconfigOf({ name, account, adminToken }: TenantCluster, { url, authority }: Front): string {
  const server = url + clusterPath(account, name);
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token: adminToken } }],
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    'current-context': name,
  });
}
