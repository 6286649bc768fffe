import { RunnerError } from '../../base/errors.ts';
import type { OpenRequest } from '../../executor/executor.ts';
import type { Check } from '../../executor/kubernetes/doctor/check.ts';
import { examine } from '../../executor/kubernetes/doctor/examine.ts';
import { createKubernetesExecutor } from '../../executor/kubernetes/kubernetes-executor.ts';
import type { PodSettings } from '../../executor/kubernetes/pod-settings.ts';
import { execProtocols } from '../../kube/exec-frames.ts';
import { parseTimeLimit } from '../../workflow/duration.ts';
import { checkImageReference } from '../../workflow/image-reference.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { parsePodOptions } from '../options/pod-options.ts';
import type { ConnectionOptions } from '../options/run-options.ts';
import { checked, oneOf } from '../options/scalars.ts';
import { checksText } from '../terminal/checks-text.ts';
import { print, printJson } from '../terminal/print.ts';
import { connectionFlags } from './connection-flags.ts';
import { doctorFlags } from './doctor-flags.ts';
import { kubeconfigFound, kubeconfigWrong } from './kubeconfig-check.ts';
import { onCluster } from './on-cluster.ts';
import { podFlags } from './pod-flags.ts';
import { trialRequest } from './trial-request.ts';

/** `doctor`: one check after another, as a table or as JSON. Exit code 3 where one failed. */
export async function doctorCommand(this: CliContext, flags: FlagValues<typeof doctorFlags>): Promise<void> {
  const { process } = this;
  const reader = new OptionReader(doctorFlags, flags, process.env);
  const output = reader.parsed('output', oneOf('table', 'json'));
  const request = trialRequest({
    image: reader.parsed('image', checked(checkImageReference)) ?? '',
    readyMs: reader.parsed('ready-timeout', parseTimeLimit) ?? 0,
    stepsMs: reader.parsed('timeout', parseTimeLimit) ?? 0,
  });
  const pod = await parsePodOptions(reader.part(podFlags), this.cwd);
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  const modes = { exec: reader.enabled('exec'), verbose: reader.enabled('verbose') };
  const checks = await examineAll(this, options, { request, pod, ...modes });
  if (checks === undefined) return;
  if (output === 'json') await printJson(process.stdout, { schemaVersion: 1, checks });
  else await print(process.stdout, checksText(checks));
  if (checks.some(({ result }) => result === 'failed')) process.exitCode = 3;
}

interface Trial {
  readonly request: OpenRequest;
  readonly pod: PodSettings;
  readonly exec: boolean;
  readonly verbose: boolean;
}

/** Undefined where a signal came. */
async function examineAll(
  context: CliContext,
  options: ConnectionOptions,
  { request, pod, exec, verbose }: Trial,
): Promise<readonly Check[] | undefined> {
  let isConnected = false;
  let checks: readonly Check[] | undefined;
  try {
    await onCluster({ context, options, verbose }, async ({ connection, clock, trace, signal }) => {
      const { api, expiry } = connection;
      isConnected = true;
      const executor = createKubernetesExecutor({ api, pod, compress: 'none', clock });
      const protocols = options.transport === 'api' ? execProtocols : [];
      const trial = exec ? { executor, protocols } : undefined;
      checks = [
        await kubeconfigFound(context, options, api),
        ...(await examine({ api, expiry, request, pod, exec: trial, clock, trace, signal })),
      ];
    });
  } catch (error) {
    const isConfiguration = error instanceof RunnerError && error.code === 'BadInput' && !isConnected;
    if (!isConfiguration) throw error;
    checks = [kubeconfigWrong(error.message)];
  }
  return checks;
}
