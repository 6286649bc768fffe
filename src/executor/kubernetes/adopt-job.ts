import { RunnerError } from '../../base/errors.ts';
import type { Sandbox } from '../executor.ts';
import { readJob } from './create-job.ts';
import { type Entry, enterPod } from './enter-pod.ts';
import { annotations } from './object-names.ts';
import type { JobObject } from './objects.ts';
import { removeRun } from './remove-run.ts';

/** Takes up the Job that an earlier process made for this run: the one with its id in the annotation, no other. */
export async function adoptJob(entry: Entry, signal: AbortSignal): Promise<Sandbox> {
  const { target, monitor } = entry;
  let found: JobObject | undefined;
  try {
    found = await readJob(target, signal);
    if (!found || !isOurs(entry, found)) throw notThere(entry, found);
    return await enterPod(entry, found, signal);
  } catch (error) {
    if (isOutOfReach(error) && !signal.aborted && !monitor.lost.aborted) {
      target.observer.leftover(
        `the Job ${target.namespace}/${target.name} may still be running and was left as it is; take it up again with --resume`,
      );
    } else {
      const network = entry.network !== undefined && (!found || isOurs(entry, found)); // it has the Job's name
      const closed = await removeRun(target, monitor, network, new AbortController().signal);
      if (closed.leftover) target.observer.leftover(closed.leftover);
    }
    await monitor[Symbol.asyncDispose]();
    throw error;
  }
}

const isOurs = ({ target }: Entry, job: JobObject): boolean =>
  job.metadata.annotations?.[annotations.id] === target.runId;

function notThere({ target, request }: Entry, found: JobObject | undefined): RunnerError {
  const name = `${target.namespace}/${target.name}`;
  const what = found
    ? `the Job ${name} belongs to another run now and was left alone`
    : `there is no Job ${name} any more`;
  return new RunnerError('NotFound', `${what}; the run ${JSON.stringify(request.run.name)} is not there`);
}

/** The run may be well; it is only we who cannot get there. */
function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof RunnerError)) return false;
  switch (error.code) {
    case 'ConnectionLost':
    case 'Unauthorized':
    case 'Forbidden':
    case 'Throttled':
    case 'ApiRefused':
      return true;
    default:
      return false;
  }
}
