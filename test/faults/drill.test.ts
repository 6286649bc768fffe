import { expect, it } from 'vitest';
import { clusterGround } from '../../e2e/drill/cluster-ground.ts';
import { storm } from '../../e2e/drill/storm.ts';
import { embeddedCluster } from '../../e2e/embedded-cluster.ts';

it('survives a short storm with nothing false, nothing twice, nothing lost and nothing left', async () => {
  await using cluster = await embeddedCluster();
  const { kubeconfig, namespace } = cluster;
  let text = '';
  const tally = await storm({
    seed: 4,
    ground: clusterGround({ kubeconfig, namespace, transport: 'api' }),
    faults: 40,
    ms: 40_000,
    runsAtOnce: 3,
    only: undefined,
    print: (more) => {
      text += more;
    },
  });
  expect(tally.isWell, text).toBe(true);
  expect(tally.faults).toBeGreaterThanOrEqual(30);
}, 120_000);
