// A storm of faults over real runs: see README.md beside this file.
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { ownNamespaceGround } from './cluster-ground.ts';
import { ownEngineGround } from './engine-ground.ts';
import type { Ground } from './ground.ts';
import { storm } from './storm.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    faults: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '3600' },
    kubeconfig: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    docker: { type: 'boolean', default: false },
    transport: { type: 'string', default: 'api' },
    runs: { type: 'string', default: '2' },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const folder = await mkdtemp(join(tmpdir(), 'knotless-drill-cluster-'));
const print = (text: string): void => void process.stdout.write(text);
try {
  await using cluster = values.docker ? undefined : await openCluster();
  await using ground = await openGround(cluster?.kubeconfig);
  print(`seed ${seed}, ${ground.name}\n`);
  const tally = await storm({
    seed,
    ground,
    faults: Number(values.faults),
    ms: Number(values.seconds) * 1000,
    runsAtOnce: Number(values.runs),
    only: values.only === undefined ? undefined : Number(values.only),
    print,
  });
  print(tally.text);
  if (!tally.isWell) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function openGround(kubeconfig: string | undefined): Promise<Ground> {
  if (kubeconfig === undefined) return ownEngineGround();
  return ownNamespaceGround({
    kubeconfig,
    namespace: `knotless-drill-${randomBytes(3).toString('hex')}`,
    transport: values.transport === 'kubectl' ? 'kubectl' : 'api',
  });
}

async function openCluster(): Promise<{ readonly kubeconfig: string } & AsyncDisposable> {
  const kubeconfig = values.kubeconfig ?? (values.embedded ? undefined : process.env.KUBECONFIG);
  if (kubeconfig) return { kubeconfig, [Symbol.asyncDispose]: async () => {} };
  const cluster = await startEmbeddedCluster({ folder: join(folder, 'cluster'), clock: systemClock() });
  return {
    kubeconfig: cluster.kubeconfigPath,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
