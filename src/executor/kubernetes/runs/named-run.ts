import { badInput, RunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { objectName } from '../../object-name.ts';
import { annotations, labels, managedBy } from '../object-names.ts';
import { paths } from '../object-paths.ts';
import { type JobObject, jobSchema } from '../objects.ts';

/** The Job of the run of this name. Rejects with BadInput where there is none. */
export async function findRun(api: KubeApi, name: string, signal: AbortSignal): Promise<JobObject> {
  const { namespace } = api;
  const jobName = objectName(name);
  const job = await readNamedJob(api, jobName, signal);
  if (job === undefined) {
    throw badInput(
      `there is no run ${JSON.stringify(name)} in the namespace ${namespace} of ${api.server}; "ls" lists those that are`,
    );
  }
  const isRun = job.metadata.labels?.[labels.managedBy] === managedBy;
  if (!isRun || job.metadata.annotations?.[annotations.name] !== name) {
    throw badInput(
      `the Job ${namespace}/${jobName} is not the run ${JSON.stringify(name)}, so it is left alone; if it is to go: kubectl delete job ${jobName} -n ${namespace}`,
    );
  }
  return job;
}

/** Undefined where there is none. */
export async function readNamedJob(
  api: KubeApi,
  jobName: string,
  signal: AbortSignal,
): Promise<JobObject | undefined> {
  try {
    return await api.request({ method: 'GET', path: paths.job(api.namespace, jobName), signal }, jobSchema);
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'NotFound') return undefined;
    throw error;
  }
}
