import type { CancelCause } from '../../run/cancel-source.ts';
import { CancelSource } from '../../run/cancel-source.ts';
import type { EndSignal, SignalSource } from '../cli-context.ts';

const causes: Readonly<Record<EndSignal, CancelCause>> = {
  SIGHUP: 'hang-up',
  SIGINT: 'interrupt',
  SIGTERM: 'termination',
};

export interface SignalledCancel extends Disposable {
  readonly cancel: CancelSource;
}

/** While it is not disposed, each signal to this process asks the run to end, with more haste each time. */
export function cancelOnSignals(signals: SignalSource): SignalledCancel {
  const cancel = new CancelSource();
  const stop = signals.listen((signal) => cancel.cancel(causes[signal]));
  return { cancel, [Symbol.dispose]: stop };
}
