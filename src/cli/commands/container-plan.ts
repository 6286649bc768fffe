import type { ContainerSettings } from '../../executor/docker/container-settings.ts';
import type { PodSettings } from '../../executor/kubernetes/pod-settings.ts';
import { byteCount, cpuCount } from '../../workflow/quantity.ts';

/** What is said of a pod, in the engine's terms. */
export const containerSettings = (pod: PodSettings): ContainerSettings => ({
  pull: pod.pullPolicy === 'Always' ? 'always' : pod.pullPolicy === 'Never' ? 'never' : 'missing',
  cpus: pod.cpu === undefined ? undefined : cpuCount(pod.cpu),
  memoryBytes: pod.memory === undefined ? undefined : byteCount(pod.memory),
  user: pod.user,
  profile: pod.profile,
  network: pod.network,
});
