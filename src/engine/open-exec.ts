import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { RunnerError } from '../base/errors.ts';
import type { ExecExit, ExecSession } from '../base/exec-session.ts';
import type { EngineApi } from './engine-api.ts';
import { shown } from './engine-error.ts';
import { EngineExecSession } from './exec-session.ts';

/** After the outputs of a program have ended, how long the engine may take to see its end. */
const endPatienceMs = 2_000;

const createdSchema = z.object({ Id: z.string().regex(/^[0-9a-f]+$/) });
const execSchema = z.object({
  Running: z.boolean(),
  ExitCode: z.number().nullish(),
  Pid: z.number().nullish(),
});

/** Starts a program in a container. Until its start was asked for, nothing has run. */
export async function openExec(
  api: EngineApi,
  clock: Clock,
  container: string,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<ExecSession> {
  const action = `run a program in the container ${container.slice(0, 12)}`;
  const body = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false, Cmd: argv };
  const path = `/containers/${container}/exec`;
  const { Id: id } = await api.request({ method: 'POST', path, body, action, signal }, createdSchema);
  const connection = await api.upgrade({
    method: 'POST',
    path: `/exec/${id}/start`,
    body: { Detach: false, Tty: false },
    action,
    signal,
  });
  const look = () => api.request({ method: 'GET', path: `/exec/${id}/json`, action, signal }, execSchema);
  return new EngineExecSession({
    connection,
    signal,
    checkStart: async (first) => {
      if (!mayTellOfFailure(first)) return;
      const { Running: running, Pid: pid } = await look();
      if (!running && !pid) throw notStarted(first.toString());
    },
    exitOf: () => exitOf(look, clock, signal),
  });
}

/** An engine that cannot start a program says so on the program's own output; only a look tells the two apart. */
const mayTellOfFailure = (first: Buffer): boolean =>
  /^(OCI runtime|cannot |container |failed |error|rpc |ttrpc|unable |process |task )/i.test(
    first.toString('latin1', 0, 64),
  );

function notStarted(words: string): RunnerError {
  const said = shown(words);
  return /executable file not found|no such file or directory/.test(said)
    ? new RunnerError('UnsuitableImage', `a program cannot be started in the container: ${said}`)
    : new RunnerError('ConnectionLost', `a program cannot be started in the container: ${said}`, {
        retry: true,
      });
}

async function exitOf(
  look: () => Promise<z.infer<typeof execSchema>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<ExecExit> {
  const giveUpAt = clock.now() + endPatienceMs;
  for (let pauseMs = 5; ; pauseMs *= 2) {
    const { Running: running, ExitCode: exitCode } = await look();
    if (!running && typeof exitCode === 'number') return { exitCode };
    if (clock.now() > giveUpAt) break;
    await clock.sleep(pauseMs, signal);
  }
  throw new RunnerError(
    'ConnectionLost',
    'the connection to a program in the container ended before the program did',
    { retry: true },
  );
}
