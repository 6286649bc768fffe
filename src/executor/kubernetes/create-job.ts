import type { Job } from 'kubernetes-types/batch/v1.js';
import { messageOf, RunnerError } from '../../base/errors.ts';
import { annotations } from './object-names.ts';
import { paths } from './object-paths.ts';
import { type JobObject, jobSchema } from './objects.ts';
import type { RunTarget } from './run-target.ts';

const attempts = 6;
const pauseMs = 1_000;

/**
 * Creates the Job once. A create whose answer was lost is looked up before it is sent again; a Job of the same
 * name that is not this run's is an error and is left alone.
 */
export async function createJob(target: RunTarget, manifest: Job, signal: AbortSignal): Promise<JobObject> {
  const { api, namespace, clock, observer } = target;
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.request(
        { method: 'POST', path: paths.jobs(namespace), body: manifest, signal },
        jobSchema,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunnerError)) throw error;
      if (error.code === 'AlreadyExists' || error.code === 'ConnectionLost') {
        const found = await readJob(target, signal);
        if (found?.metadata.annotations?.[annotations.id] === target.runId) return found;
        if (found) throw nameTaken(target, found);
      }
      if (!mayPass(error) || attempt === attempts) throw refused(error);
      observer.trace(`creating the Job failed, trying again: ${messageOf(error)}`);
      await clock.sleep(error.retryAfterMs ?? pauseMs, signal);
    }
  }
}

const mayPass = (error: RunnerError): boolean => error.retry || error.code === 'AlreadyExists';

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
  if (error.code === 'ApiRefused' || (error.code === 'Forbidden' && error.message.includes('admission'))) {
    return new RunnerError('AdmissionRejected', `the cluster refuses the Job: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
