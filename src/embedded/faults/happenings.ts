import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { resources } from '../api/resources.ts';
import type { Scheduler } from '../controllers/scheduler.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { KubeObject } from '../store/object.ts';
import { podOf } from '../store/pod.ts';
import type { Registry } from '../store/registry.ts';
import type { FaultRule } from './rules.ts';

const pressure =
  'The node was low on resource: memory. Threshold quantity: 100Mi, available: 12Mi. Container run was using 900Mi, request is 0, has larger consumption of memory.';

export interface Happenings {
  happen(rule: FaultRule, pod: KubeObject | undefined): void;
  stop(): void;
}

/** Does to running pods what rules want done, after the time that they say. */
export function createHappenings(
  registry: Registry,
  kubelet: () => Kubelet,
  scheduler: () => Scheduler,
  clock: Clock,
): Happenings {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each timer

  const current = (pod: KubeObject | undefined): KubeObject[] =>
    registry.store
      .list(resources.pods)
      .filter((one) => (pod ? one.metadata.uid === pod.metadata.uid : podOf(one).status.phase === 'Running'));

  async function act(rule: FaultRule, pods: readonly KubeObject[]): Promise<void> {
    if (rule.do === 'lose-node') {
      await kubelet().vanish();
      scheduler().loseNode();
    }
    for (const pod of pods) {
      const { namespace, name } = pod.metadata;
      if (rule.do === 'evict') await kubelet().evict(pod, rule.message ?? pressure);
      if (rule.do === 'oom') kubelet().killForMemory(pod);
      if (rule.do === 'delete-pod') registry.delete(resources.pods, namespace, name, {});
    }
  }

  return {
    happen(rule, pod) {
      const ms = 'after' in rule ? (rule.after ?? 0) : 0;
      const wait = ms > 0 ? clock.sleep(ms, stop.signal) : Promise.resolve();
      wait.then(() => act(rule, current(pod))).catch(() => {}); // the pod went by itself, or the cluster ends
    },
    stop: () => stop.abort(),
  };
}
