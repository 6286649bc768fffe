import { messageOf } from '../../base/errors.ts';
import { answeredName, cancelledName } from './cancel-note.ts';
import type { AskedToEnd } from './container-monitor.ts';
import { anything } from './engine-objects.ts';
import { outlastEngine } from './outlast-engine.ts';
import type { RunTarget } from './run-target.ts';

/**
 * Has the run end, and says so by the container's name. Without that answer who cancels waits for a shorter time.
 * Never rejects.
 */
export async function endAsAsked(target: RunTarget, { by, id, signal }: AskedToEnd): Promise<void> {
  const { api, name, observer } = target;
  const seconds = Math.ceil(observer.cancelled(by) / 1000);
  const query = { name: answeredName(cancelledName(name, by), seconds) };
  const call = { method: 'POST', path: `/containers/${id}/rename`, query, signal } as const;
  const action = 'rename the container';
  try {
    await outlastEngine(target, 'answering the cancelling', signal, () =>
      api.request({ ...call, action }, anything),
    );
  } catch (error) {
    observer.trace(`answering the cancelling failed: ${messageOf(error)}`);
  }
}
