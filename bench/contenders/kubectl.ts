import { Child, type ChildOptions, runChild } from '../child.ts';
import type { Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import type { PodAddress } from './pod-address.ts';

const environmentOf = ({ kubeconfig }: Stage) => ({ KUBECONFIG: kubeconfig });

export const kubectlExec = (
  stage: Stage,
  { pod, container }: PodAddress,
  command: readonly string[],
): Promise<Sample> =>
  runChild([stage.kubectl, 'exec', '-n', stage.namespace, pod, '-c', container, '--', ...command], {
    environment: environmentOf(stage),
    signal: stage.signal,
  });

/** A shell script whose `k` is kubectl in the benchmark's namespace; `$1` and so on are the arguments. */
export function kubectlScript(
  stage: Stage,
  script: string,
  argv: readonly string[],
  options: Omit<ChildOptions, 'signal' | 'environment'> = {},
): Child {
  const text = `set -e\nk() { "$KUBECTL" -n "$NAMESPACE" "$@"; }\n${script}`;
  const environment = { ...environmentOf(stage), KUBECTL: stage.kubectl, NAMESPACE: stage.namespace };
  return new Child(['sh', '-c', text, 'sh', ...argv], { ...options, environment, signal: stage.signal });
}
