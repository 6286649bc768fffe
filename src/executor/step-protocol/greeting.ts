import { RunnerError } from '../../base/errors.ts';

/** What the control program found in the image, as its first line tells. */
export interface Greeting {
  readonly gzip: boolean;
}

/**
 * Reads the control program's first line. An image that cannot do what a run needs is `UnsuitableImage`, here,
 * before the first step.
 */
export function readGreeting(line: string): Greeting {
  const fields = /^knotless 1 missing=(\S*) unwritable=(\S*) gzip=(yes|no)$/.exec(line);
  if (!fields)
    throw new RunnerError(
      'ProtocolViolation',
      `the pod greeted with something else: ${JSON.stringify(line)}`,
    );
  const [, missing = '', unwritable = '', gzip] = fields;
  if (missing !== '') {
    throw new RunnerError(
      'UnsuitableImage',
      `the image has no ${missing.replaceAll(',', ', ')}, which a run needs (with sh) before its first step; use an image that has ${missing.includes(',') ? 'them' : 'it'}`,
    );
  }
  if (unwritable !== '') {
    throw new RunnerError(
      'UnsuitableImage',
      `${unwritable.replaceAll(',', ', ')} cannot be written by the image's user; another --user may help`,
    );
  }
  return { gzip: gzip === 'yes' };
}
