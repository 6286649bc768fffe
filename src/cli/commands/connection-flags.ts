import { text, textOr } from '../flags/flag-definition.ts';

export const clusterGroup = 'The cluster';

/** The flags that say which cluster, as whom and by what road. */
export const connectionFlags = {
  kubeconfig: text(clusterGroup, 'FILE', 'the kubeconfig; else KUBECONFIG, ~/.kube/config, in-cluster'),
  context: text(clusterGroup, 'NAME', 'the context in it'),
  namespace: text(clusterGroup, 'NAME', "the namespace; the context's if not given"),
  transport: textOr('api', clusterGroup, 'api|kubectl', 'speak to the API, or let kubectl do so'),
  kubectl: textOr('kubectl', clusterGroup, 'PATH', 'the kubectl to use'),
} as const;
