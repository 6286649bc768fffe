import { createInterface } from 'node:readline';
import { RunnerError } from '../../../base/errors.ts';
import type { AskCode } from '../../../tenant/sign-in/submit-credentials.ts';
import type { CliProcess } from '../../cli-context.ts';

/** Asks for an e-mailed code at the terminal. */
export function askCodeAtTerminal({ stdin, stderr }: CliProcess): AskCode {
  return async (question, signal) => {
    if (!stdin.isTTY) {
      throw new RunnerError(
        'Unauthorized',
        'the account is protected by a code that is sent by e-mail, and there is no terminal to ask for it; sign in at a terminal, or with --browser',
      );
    }
    const lines = createInterface({ input: stdin });
    try {
      return await new Promise<string>((resolve, reject) => {
        lines.once('line', resolve);
        lines.once('close', () => reject(new RunnerError('Unauthorized', 'no code was given')));
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        stderr.write(question); // last: the answer may be there at once
      });
    } finally {
      lines.close();
    }
  };
}
