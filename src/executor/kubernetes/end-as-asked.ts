import { messageOf } from '../../base/errors.ts';
import { annotations } from './object-names.ts';
import { paths } from './object-paths.ts';
import { anything } from './objects.ts';
import type { AskedToEnd } from './pod-monitor.ts';
import { isGone } from './remove-run.ts';
import type { RunTarget } from './run-target.ts';

const attempts = 5;
const pauseMs = 500;

/**
 * Has the run end, and writes on the Job that its runner does so. Without that answer, for want of the right to
 * patch Jobs say, who cancels waits for a shorter time. Never rejects.
 */
export async function endAsAsked(
  { api, namespace, name, clock, observer }: RunTarget,
  { by, uid, signal }: AskedToEnd,
): Promise<void> {
  const value = String(Math.ceil(observer.cancelled(by) / 1000));
  const body = { metadata: { uid, annotations: { [annotations.endsWithin]: value } } };
  for (let attempt = 1; attempt <= attempts && !signal.aborted; attempt++) {
    try {
      await api.request({ method: 'PATCH', path: paths.job(namespace, name), body, signal }, anything);
      return;
    } catch (error) {
      if (signal.aborted || isGone(error)) return;
      observer.trace(`answering the cancelling failed: ${messageOf(error)}`);
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }
}
