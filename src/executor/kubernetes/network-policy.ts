import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { RunIdentity } from '../executor.ts';
import { objectName } from '../object-name.ts';
import { runLabels } from './job-manifest.ts';
import { labels } from './object-names.ts';

/** Where cloud providers hand out a node's credentials. */
const metadataAddresses = { v4: '169.254.169.254/32', v6: 'fd00:ec2::254/128' } as const;

/**
 * The policy of one run. Its owner is the pod, so that the cluster itself removes it after the pod and never
 * before. The namespace selector is for the network plug-ins whose address blocks leave out pods (DNS is one).
 */
export function networkPolicy(
  run: RunIdentity,
  namespace: string,
  network: 'isolated' | 'none',
  pod: { readonly name: string; readonly uid: string },
): NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: objectName(run.name),
      namespace,
      labels: runLabels(run),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid }],
    },
    spec: {
      podSelector: { matchLabels: { [labels.run]: run.id } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: network === 'none' ? [] : [{ to: everythingButMetadata() }],
    },
  };
}

const everythingButMetadata = (): object[] => [
  { ipBlock: { cidr: '0.0.0.0/0', except: [metadataAddresses.v4] } },
  { ipBlock: { cidr: '::/0', except: [metadataAddresses.v6] } },
  { namespaceSelector: {} },
];
