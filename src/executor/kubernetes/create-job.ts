import type { Job } from 'kubernetes-types/batch/v1.js';
import { RunnerError } from '../../base/errors.ts';
import { annotations } from './object-names.ts';
import { paths } from './object-paths.ts';
import { type JobObject, jobSchema } from './objects.ts';
import { outlastApi } from './outlast-api.ts';
import type { RunTarget } from './run-target.ts';

/**
 * Creates the Job once. A create whose answer was lost is looked up before it is sent again; a Job of the same
 * name that is not this run's is an error and is left alone.
 */
export async function createJob(target: RunTarget, manifest: Job, signal: AbortSignal): Promise<JobObject> {
  try {
    return await outlastApi(target, 'creating the Job', signal, () => createOrFind(target, manifest, signal));
  } catch (error) {
    throw error instanceof RunnerError ? refused(error) : error;
  }
}

async function createOrFind(target: RunTarget, manifest: Job, signal: AbortSignal): Promise<JobObject> {
  const { api, namespace } = target;
  try {
    const call = { method: 'POST', path: paths.jobs(namespace), body: manifest, signal } as const;
    return await api.request(call, jobSchema);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunnerError && mayBeThere(error))) throw error;
    const found = await readJob(target, signal);
    if (found?.metadata.annotations?.[annotations.id] === target.runId) return found;
    if (found) throw nameTaken(target, found);
    throw new RunnerError(error.code, error.message, { cause: error, retry: true });
  }
}

/** Also after an answer that came from something on the way. */
const mayBeThere = ({ code, retry }: RunnerError): boolean =>
  code === 'AlreadyExists' || (retry && code !== 'Throttled');

/** The Job of this name, whoever made it, or undefined. */
export async function readJob(
  { api, namespace, name }: RunTarget,
  signal?: AbortSignal,
): Promise<JobObject | undefined> {
  try {
    const call = { method: 'GET', path: paths.job(namespace, name), ...(signal ? { signal } : {}) } as const;
    return await api.request(call, jobSchema);
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

function nameTaken({ namespace, name }: RunTarget, found: JobObject): RunnerError {
  const doing = found.metadata.deletionTimestamp ? 'is still being deleted' : 'exists already';
  const whose = found.metadata.annotations?.[annotations.name];
  return new RunnerError(
    'AlreadyExists',
    `the Job ${namespace}/${name} ${doing}${whose === undefined ? '' : ` (of the run ${JSON.stringify(whose)})`}; ` +
      `choose another --name, or wait for that run, or remove it: kubectl delete job ${name} -n ${namespace}`,
  );
}

/** The API's own refusals of a whole Job: quota of Jobs, admission webhooks, invalid fields of a patch. */
function refused(error: RunnerError): RunnerError {
  if (error.code === 'Forbidden' && error.message.includes('exceeded quota')) {
    return new RunnerError('QuotaExceeded', error.message, { cause: error });
  }
  if (error.retry) return error;
  if (error.code === 'ApiRefused' || (error.code === 'Forbidden' && error.message.includes('admission'))) {
    return new RunnerError('AdmissionRejected', `the cluster refuses the Job: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
