import { RunnerError } from '../base/errors.ts';
import type { ExecExit } from '../base/exec-session.ts';
import { type Asked, parseStatus, refusalError } from './status-error.ts';

/** What the API server says when its own connection to the node broke: the program may well go on. */
const brokenOnTheWay =
  /\bEOF\b|connection reset|broken pipe|closed network connection|i\/o timeout|connection refused|context (?:canceled|deadline)|client connection lost/i;
/** The kubelet refused before anything was started. */
const notStarted = /unable to upgrade connection|container not found|error dialing backend/i;

/**
 * What the status channel said at the end of an exec. An exit code is never made up: a failure that names none
 * is thrown, as is a status that cannot be read.
 */
export function execExitOf(text: string, asked: Asked): ExecExit {
  const status = parseStatus(text);
  if (status?.status === 'Success') return { exitCode: 0 };
  if (!status) {
    throw new RunnerError('ConnectionLost', `the exec ended with a status that cannot be read`, {
      retry: true,
    });
  }
  if (status.reason === 'NonZeroExitCode') {
    const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message ?? '';
    if (/^[1-9]\d{0,9}$/.test(cause)) return { exitCode: Number(cause) };
  }
  const refusal = { status: status.code ?? 500, text, retryAfterMs: undefined };
  const error = refusalError(refusal, asked);
  const said = status.message ?? '';
  const retry = notStarted.test(said);
  const code = !retry && brokenOnTheWay.test(said) ? 'ConnectionLost' : error.code;
  throw new RunnerError(code, error.message, { retry: retry || code === 'ConnectionLost' });
}
