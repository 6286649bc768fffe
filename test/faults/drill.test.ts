import { expect, it } from 'vitest';
import { ClusterHand } from '../../e2e/drill/cluster-hand.ts';
import { storm } from '../../e2e/drill/storm.ts';
import { embeddedCluster } from '../../e2e/embedded-cluster.ts';

it('survives a short storm with nothing false, nothing twice, nothing lost and nothing left', async () => {
  await using cluster = await embeddedCluster();
  const { kubeconfig, namespace } = cluster;
  let text = '';
  const tally = await storm({
    seed: 4,
    kubeconfig,
    namespace,
    transport: 'api',
    hand: new ClusterHand(kubeconfig, namespace),
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
