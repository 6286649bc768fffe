import { list, text, textOr } from '../flags/flag-definition.ts';

const pod = 'The pod';

/** The flags that say how a run's pod is made. */
export const podFlags = {
  pull: text(pod, 'WHEN', "always, missing or never; the cluster's own rule if not given"),
  cpu: text(pod, 'QUANTITY', 'CPU request: 500m, 2'),
  memory: text(pod, 'QUANTITY', 'memory request and limit: 512Mi, 2Gi'),
  user: text(pod, 'UID[:GID]', "who the steps run as; the image's user if not given"),
  'node-selector': list(pod, 'K=V', 'only nodes with this label'),
  toleration: list(pod, 'KEY[=VALUE][:EFFECT]', 'nodes with this taint too'),
  'image-pull-secret': list(pod, 'NAME', 'the Secret that opens the registry'),
  'service-account': text(pod, 'NAME', 'the ServiceAccount of the pod; its token is not mounted'),
  profile: textOr('baseline', pod, 'PROFILE', 'PodSecurity profile to keep to: baseline or restricted'),
  network: textOr(
    'isolated',
    pod,
    'POLICY',
    'open, isolated (nothing comes in) or none (nothing goes out either)',
  ),
  'pod-patch': text(pod, 'FILE', 'a strategic merge patch of the pod spec'),
} as const;
