import { text } from 'node:stream/consumers';
import type { Clock } from '../../../base/clock.ts';
import { withDeadline } from '../../../base/deadline.ts';
import { asRunnerError, messageOf, RunnerError } from '../../../base/errors.ts';
import type { ExecProtocol, KubeApi } from '../../../kube/kube-api.ts';
import type { Executor, Observer, OpenRequest, Sandbox } from '../../executor.ts';
import { containerName } from '../job-manifest.ts';
import { type Check, failed, passed, warned } from './check.ts';
import { fixOf } from './error-fix.ts';

export interface ExecTrial {
  readonly api: KubeApi;
  readonly executor: Executor;
  readonly request: OpenRequest;
  /** Those to try one by one; none where the transport chooses by itself. */
  readonly protocols: readonly ExecProtocol[];
  readonly clock: Clock;
  readonly trace: (message: string) => void;
  readonly signal: AbortSignal;
}

const answerMs = 15_000;

/** Makes a Job as a run would, speaks to its pod in each way, and deletes it. */
export async function checkExec(trial: ExecTrial): Promise<readonly Check[]> {
  const { executor, request, clock, signal } = trial;
  const heard = new TrialObserver(trial.trace);
  const started = clock.now();
  let sandbox: Sandbox;
  try {
    sandbox = await executor.open(request, heard, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asRunnerError(thrown);
    return [failed('exec', error.message, heard.left ?? fixOf(error))];
  }
  const checks: Check[] = [];
  try {
    const seconds = Math.round((clock.now() - started) / 100) / 10;
    const { place } = sandbox;
    const node = place.kind === 'job' && place.node !== null ? ` on the node ${place.node}` : '';
    checks.push(passed('exec', `a pod ran${node} and answered after ${seconds} s`));
    const pod = place.kind === 'job' ? place.pod : null;
    if (pod !== null)
      for (const protocol of trial.protocols) checks.push(await checkProtocol(trial, pod, protocol));
  } finally {
    const closed = await sandbox.close(new AbortController().signal);
    checks.push(
      closed.leftover === null
        ? passed('removal', 'the Job and its pod are gone')
        : failed('removal', closed.leftover, null),
    );
  }
  return checks;
}

/** A run needs one of them only. */
async function checkProtocol(
  { api, clock, signal }: ExecTrial,
  pod: string,
  protocol: ExecProtocol,
): Promise<Check> {
  const name = `exec ${protocol.slice(0, 2)}`;
  const command = ['sh', '-c', `echo ${word}`];
  try {
    await withDeadline(clock, { name: "the exec's answer", ms: answerMs }, signal, async (within) => {
      const call = { namespace: api.namespace, pod, container: containerName, command, signal: within };
      await using session = await api.exec({ ...call, protocols: [protocol] });
      session.stdin.end();
      session.stderr.resume();
      const [said, { exitCode }] = await Promise.all([text(session.stdout), session.exit]);
      if (said.trim() === word && exitCode === 0) return;
      throw new RunnerError(
        'ProtocolViolation',
        `it ended with ${exitCode} and said ${JSON.stringify(said.slice(0, 100))}`,
      );
    });
    return passed(name, `${protocol} works`);
  } catch (thrown) {
    signal.throwIfAborted();
    const fix =
      'none is needed while the other works; else let WebSockets through the gateway, or use --transport kubectl';
    return warned(name, `${protocol} does not work: ${messageOf(thrown)}`, fix);
  }
}

const word = 'knotless';

class TrialObserver implements Observer {
  /** What could not be removed. */
  left: string | null = null;
  readonly trace: Observer['trace'];

  constructor(trace: Observer['trace']) {
    this.trace = trace;
  }

  waiting(waiting: Parameters<Observer['waiting']>[0]): void {
    if (waiting) this.trace(`waiting: ${waiting.reason}: ${waiting.message}`);
  }

  warning(message: string): void {
    this.trace(message);
  }

  place(): void {}

  leftover(message: string): void {
    this.left = message;
  }

  /** It ends at once anyway. */
  cancelled(): number {
    return 0;
  }
}
