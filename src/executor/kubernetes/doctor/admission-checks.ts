import type { Job } from 'kubernetes-types/batch/v1.js';
import { asRunnerError, type RunnerError } from '../../../base/errors.ts';
import { missingRights } from '../../../kube/access-review.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { paths } from '../object-paths.ts';
import { anything, type JobObject, jobSchema } from '../objects.ts';
import { type Check, failed, passed, skipped } from './check.ts';

const dryRun = { dryRun: 'All' };

export interface AdmittedJob {
  readonly check: Check;
  /** The Job as the server would have made it. */
  readonly job: JobObject | undefined;
}

/** Asks the server to go through all of creating a run's Job but keeping it. */
export async function checkJob(api: KubeApi, manifest: Job, signal: AbortSignal): Promise<AdmittedJob> {
  const call = { method: 'POST', path: paths.jobs(api.namespace), query: dryRun, body: manifest } as const;
  try {
    const job = await api.request({ ...call, signal }, jobSchema);
    return { check: passed('Job', "a run's Job would be admitted (dryRun=All)"), job };
  } catch (thrown) {
    signal.throwIfAborted();
    return { check: refused('Job', asRunnerError(thrown)), job: undefined };
  }
}

/** The same for its pod, which the cluster makes with rights of its own: a caller may need none for pods. */
export async function checkPod(api: KubeApi, manifest: Job, signal: AbortSignal): Promise<Check> {
  const name = 'pod';
  const create = { group: '', resource: 'pods', verb: 'create' };
  const { metadata, spec } = manifest.spec?.template ?? {};
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: manifest.metadata?.name, namespace: api.namespace },
    spec,
  };
  try {
    if ((await missingRights(api, api.namespace, [create], signal)).length > 0) {
      return skipped(name, 'not permitted to create pods, which no run needs; skipped');
    }
    const call = { method: 'POST', path: paths.pods(api.namespace), query: dryRun, body, signal } as const;
    await api.request(call, anything);
    return passed(name, 'its pod would be admitted (dryRun=All)');
  } catch (thrown) {
    signal.throwIfAborted();
    return refused(name, asRunnerError(thrown));
  }
}

const refused = (name: string, error: RunnerError): Check =>
  failed(name, error.message, admissionFix(error.message));

/** Pure. */
export function admissionFix(message: string): string | null {
  if (message.includes('violates PodSecurity')) return 'use --profile restricted';
  if (message.includes('exceeded quota')) {
    return 'wait for other pods to end, ask for less with --cpu and --memory, or have the quota raised';
  }
  if (/failed quota|must specify/.test(message)) return 'give --cpu and --memory, as the quota asks';
  if (/serviceaccount .* not found/i.test(message)) return 'name one that exists with --service-account';
  if (/LimitRanger|maximum|minimum/.test(message)) return 'give --cpu and --memory within the LimitRange';
  return null;
}
