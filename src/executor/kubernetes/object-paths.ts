/** Where the API keeps a run's objects. */
export const paths = {
  jobs: (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`,
  job: (namespace: string, name: string): string => `${paths.jobs(namespace)}/${name}`,
  pods: (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`,
  events: (namespace: string): string => `/api/v1/namespaces/${namespace}/events`,
  networkPolicies: (namespace: string): string =>
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
  networkPolicy: (namespace: string, name: string): string => `${paths.networkPolicies(namespace)}/${name}`,
} as const;
