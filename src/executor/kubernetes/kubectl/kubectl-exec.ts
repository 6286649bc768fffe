import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { ExecExit, ExecSession } from '../../../base/exec-session.ts';
import type { Asked } from '../../../kube/status-error.ts';
import { kubectlError } from './kubectl-error.ts';

/** kubectl's last line when the program in the pod ended with a code of its own. */
const remoteExit = /command terminated with exit code (\d+)\s*$/;
const keptWords = 4096;

/** A running `kubectl exec -i` as a session. Its exit code alone tells nothing: 1 is also its own failure. */
export function kubectlExecSession(child: ChildProcessWithoutNullStreams, asked: Asked): ExecSession {
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('latin1')).slice(-keptWords);
  });
  const exit = once(child, 'close').then(([code]): ExecExit => {
    if (code === 0) return { exitCode: 0 };
    const remote = remoteExit.exec(words);
    if (remote && Number(remote[1]) === code) return { exitCode: code };
    throw kubectlError(words, asked);
  });
  exit.catch(() => {});
  const close = (): void => {
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill('SIGKILL');
  };
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    canEndStdin: true,
    exit,
    close,
    [Symbol.asyncDispose]: async () => {
      close();
      await exit.catch(() => {});
    },
  };
}
