/** What the caller may say of the pod. Quantities and names as Kubernetes has them. */
export interface PodSettings {
  readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
  readonly user: { readonly uid: number; readonly gid: number | undefined } | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  readonly imagePullSecrets: readonly string[];
  readonly serviceAccount: string | undefined;
  readonly profile: 'baseline' | 'restricted';
  readonly network: 'open' | 'isolated' | 'none';
  /** A strategic merge patch of the pod's spec. */
  readonly patch: Readonly<Record<string, unknown>> | undefined;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export const defaultPodSettings: PodSettings = {
  pullPolicy: undefined,
  cpu: undefined,
  memory: undefined,
  user: undefined,
  nodeSelector: {},
  tolerations: [],
  imagePullSecrets: [],
  serviceAccount: undefined,
  profile: 'baseline',
  network: 'isolated',
  patch: undefined,
};
