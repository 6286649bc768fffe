import picocolors from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import type { Environment, OutputStream } from './cli-context.ts';

/** NO_COLOR stands above FORCE_COLOR, and both above what the stream is. */
export function coloursFor(stream: OutputStream, environment: Environment): Colors {
  const forced = (environment.FORCE_COLOR ?? '') !== '' && environment.FORCE_COLOR !== '0';
  const possible = stream.isTTY === true && environment.TERM !== 'dumb' && environment.FORCE_COLOR !== '0';
  return picocolors.createColors(!environment.NO_COLOR && (forced || possible));
}
