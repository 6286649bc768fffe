import type { RunnerError } from '../base/errors.ts';
import type { CancelCause } from './cancel-source.ts';
import type { RunResult } from './result-schema.ts';

const cancelledCodes: Readonly<Record<CancelCause, number>> = {
  'hang-up': 129,
  interrupt: 130,
  termination: 143,
  elsewhere: 143,
};

/** The command's exit code for a run that came to `result`; `cause` is the cancel source's. */
export function exitCodeOf(result: Pick<RunResult, 'status' | 'reason'>, cause: CancelCause | null): number {
  switch (result.status) {
    case 'success':
      return 0;
    case 'failed':
      return 1;
    case 'timeout':
      return 4;
    case 'cancelled':
      return cancelledCodes[cause ?? 'elsewhere'];
    case 'error':
      return result.reason?.code === 'BadInput' ? 2 : 3;
  }
}

/** The command's exit code where there was no run: bad input, or trouble before anything was created. */
export const exitCodeOfError = (error: RunnerError): number => (error.code === 'BadInput' ? 2 : 3);
