export const programName = 'knotless-runner-k8s';
