import { homedir, tmpdir } from 'node:os';
import type { CliContext, EndSignal } from './cli-context.ts';

const endSignals: readonly EndSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** The real process as a command sees it. */
export function processContext(process: NodeJS.Process): CliContext {
  // A reader that is gone (`| head -1`) or a full disk is no reason to leave a Job behind: whoever writes looks
  // at the write's own outcome.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    process: {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      exitCode: null,
    },
    cwd: process.cwd(),
    homeFolder: homedir(),
    tempFolder: tmpdir(),
    signals: {
      listen(listener) {
        const onSignal = (signal: NodeJS.Signals): void => {
          const known = endSignals.find((name) => name === signal);
          if (known !== undefined) listener(known);
        };
        for (const signal of endSignals) process.on(signal, onSignal);
        return () => {
          // One that was sent before this comes after it, and must not end a process that has all but ended well.
          for (const signal of endSignals) process.once(signal, () => {}).off(signal, onSignal);
        };
      },
    },
  };
}
