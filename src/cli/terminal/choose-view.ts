import type { Clock } from '../../base/clock.ts';
import type { CliProcess, OutputStream } from '../cli-context.ts';
import { coloursFor } from '../colours.ts';
import type { Verbosity } from '../options/run-options.ts';
import { liveView } from './live-view.ts';
import { plainView } from './plain-view.ts';
import type { RunView } from './run-view.ts';
import { silentView } from './run-view.ts';
import { SteadyWriter } from './steady-writer.ts';

export interface ViewRequest {
  readonly process: CliProcess;
  readonly verbosity: Verbosity;
  readonly stream: OutputStream;
  readonly clock: Clock;
  readonly steps: number;
}

/** Live on a terminal that can move its cursor, plain lines elsewhere, nothing when asked to be quiet. */
export function chooseView(request: ViewRequest): RunView {
  const { process, verbosity, stream, clock, steps } = request;
  if (verbosity === 'quiet') return silentView;
  const parts = {
    out: new SteadyWriter(stream),
    error: new SteadyWriter(process.stderr),
    colours: coloursFor(stream, process.env),
    clock,
    steps,
  };
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb';
  // A terminal that does not know its width says 0.
  return isLive ? liveView(parts, () => stream.columns || 80) : plainView(parts);
}
