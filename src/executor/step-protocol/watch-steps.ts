import { messageOf, RunnerError } from '../../base/errors.ts';
import type { ExecSession } from '../../base/exec-session.ts';
import { whenAborted } from '../../base/when-aborted.ts';
import type { Onlooker } from '../executor.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { Tail } from './lines.ts';
import { openPatiently, type PodPort, type ReachedPort } from './pod-port.ts';
import { Reach } from './reach.ts';
import { SilenceWatch } from './silence.ts';
import { longestAnswer, WatchedSteps } from './watched-steps.ts';

/** The program in the pod gives a sign of life every 5 s; after this long without one the road is dead. */
const silenceMs = 20_000;
/** How long a pod that is known to go is still heard: its process 1 waits a second for who looks on. */
const lastWordsMs = 5_000;
/** How long the program may fail to start; a pod is ready a moment before its process 1 has written it. */
const startMs = 20_000;
const pauseMs = 200;

export interface WatchOptions {
  /** How long without a step and without its runner the run has to be to be over; 0: only the pod's end is the end. */
  readonly idleMs: number;
  /** Aborted once the pod is known to go. */
  readonly leaving: AbortSignal;
  /** Hears why the pod cannot be looked into yet. */
  readonly unreachable: (message: string) => void;
}

/**
 * Follows all steps of a run that somebody else conducts, each from its first byte, to the run's end, across as
 * many connections as it takes. Resolves to whether all that the steps wrote has come.
 */
export async function watchSteps(
  port: PodPort,
  options: WatchOptions,
  onlooker: Onlooker,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock } = port;
  const steps = new WatchedSteps(onlooker);
  const { leaving, unreachable } = options;
  const reached = { ...port, reach: new Reach(port, unreachable) };
  let failingSince: number | undefined;
  for (;;) {
    const end = await lookOn(reached, options, steps, signal);
    signal.throwIfAborted();
    if (end === 'over' || leaving.aborted) {
      await steps.end();
      return end === 'over';
    }
    failingSince = end === 'failed' ? (failingSince ?? clock.now()) : undefined;
    if (failingSince !== undefined && clock.now() - failingSince > startMs) throw noProgram();
    await clock.sleep(pauseMs, AbortSignal.any([signal, leaving])).catch(() => {});
  }
}

/** `failed`: the program in the pod ended, and not because the run did. */
type LookEnd = 'over' | 'cut' | 'failed';

async function lookOn(
  port: ReachedPort,
  { idleMs, leaving }: WatchOptions,
  steps: WatchedSteps,
  signal: AbortSignal,
): Promise<LookEnd> {
  const { clock, trace } = port;
  const session = await open(port, leaving, signal);
  if (!session) return 'cut';
  const over = new AbortController();
  const hangUp = (): void => session.close();
  whenAborted(signal, over.signal, hangUp);
  whenAborted(leaving, over.signal, () => {
    clock.sleep(lastWordsMs, over.signal).then(hangUp, () => {});
  });
  using silence = new SilenceWatch(clock, silenceMs, hangUp);
  const words = new Tail(session.stderr, 4096, () => silence.heard());
  session.stdin.on('error', () => {}); // what does not come back tells
  try {
    const word = port.nonce();
    session.stdin.write(`${word} ${steps.position} ${Math.ceil(idleMs / 100)}\n`);
    const hear = (answer: string): void => {
      steps.hear(answer);
      port.reach.answered();
    };
    const end = await readAll(session, new FrameSplitter(word), steps, silence, hear);
    if (end === 'over') return end;
    const { exitCode } = await session.exit;
    trace(`looking on ended with ${exitCode}: ${words.text()}`);
    return end;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RunnerError && !error.retry && error.code !== 'ConnectionLost') throw error;
    trace(`looking on broke: ${messageOf(error)}`);
    return 'cut';
  } finally {
    over.abort(new Error('this look is over'));
    hangUp();
  }
}

/** Undefined where the pod has gone before it could be looked into. What is open outlives `leaving`. */
async function open(
  port: ReachedPort,
  leaving: AbortSignal,
  signal: AbortSignal,
): Promise<ExecSession | undefined> {
  const opened = new AbortController();
  const calledOff = new AbortController();
  whenAborted(leaving, opened.signal, () => calledOff.abort(leaving.reason));
  try {
    return await openPatiently(port, 'watch', AbortSignal.any([calledOff.signal, signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (leaving.aborted) return undefined;
    throw error;
  } finally {
    opened.abort();
  }
}

/** `failed` where nothing but the answer came. */
async function readAll(
  session: ExecSession,
  frames: FrameSplitter,
  steps: WatchedSteps,
  silence: SilenceWatch,
  hear: (answer: string) => void,
): Promise<LookEnd> {
  let answer: string | undefined = '';
  let end: LookEnd = 'failed';
  steps.connected();
  for await (const piece of session.stdout) {
    silence.heard();
    let chunk: Buffer = piece;
    using _taking = silence.hold();
    if (answer !== undefined) {
      const end = chunk.indexOf(0x0a);
      answer += chunk.toString('latin1', 0, end < 0 ? chunk.length : end);
      if (end < 0 && answer.length < longestAnswer) continue;
      hear(answer);
      answer = undefined;
      chunk = chunk.subarray(end + 1);
    }
    for (const framed of frames.push(chunk)) {
      end = 'cut';
      if (framed.kind === 'frame' && framed.line === 'over') return 'over';
      if (framed.kind === 'frame') await steps.begin(framed.line);
      else await steps.push(framed.bytes);
    }
  }
  return end;
}

const noProgram = (): RunnerError =>
  new RunnerError(
    'NotFound',
    'the pod has no program for who looks on: its run was started by an older version of this one, or a step removed it',
  );
