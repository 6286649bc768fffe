import type { StepControl, StepOutput, StepRequest, StepUsage, StepVerdict } from '../executor.ts';
import type { ControlChannel } from './control-channel.ts';
import { FollowedStep, type MarkedEnd } from './follow-step.ts';
import type { ReachedPort } from './pod-port.ts';
import { stepBody, stepCookie } from './step-body.ts';
import type { StepExecs } from './step-execs.ts';
import type { StepMark } from './step-mark.ts';

/** After KILL, how long the mark may still take to come. */
const lastWordMs = 10_000;

export interface StepContext {
  readonly port: ReachedPort;
  readonly control: ControlChannel;
  readonly execs: StepExecs;
  readonly runId: string;
  readonly graceMs: number;
}

/** Runs one step, once, and follows it to its mark over as many connections as it takes. */
export async function runStep(
  context: StepContext,
  step: StepRequest,
  output: StepOutput,
  { stop, abandon }: StepControl,
): Promise<StepVerdict> {
  const { port } = context;
  const over = new AbortController();
  const ended = AbortSignal.any([abandon, port.lost, over.signal]);
  const followed = new FollowedStep(step.index, step.nonce, stepBody(step, context.runId), output);
  try {
    const mark = untilMark(context, followed, step.following, ended);
    mark.catch(() => {});
    const stopping = stopped(context, stepCookie(step.index, context.runId), followed, mark, stop, ended);
    stopping.catch(() => {});
    return await Promise.race([mark.then((found) => naturalEnd(found, stop, stopping)), stopping]);
  } finally {
    over.abort(new Error('the step is over'));
  }
}

async function untilMark(
  { port, execs }: StepContext,
  followed: FollowedStep,
  following: number,
  signal: AbortSignal,
): Promise<StepMark> {
  for (let connections = 0; ; connections++) {
    const exec = await execs.take(signal);
    let end: MarkedEnd | undefined;
    try {
      end = await followed.follow(exec, port, signal);
    } finally {
      if (end && following > 0) execs.giveBack(exec, followed.nonce, end.rest);
      else exec.close();
    }
    if (end) return end.mark;
    if (connections > 0) await port.clock.sleep(100, signal);
  }
}

/** Where a stop is under way already, its own account of the end is the verdict. */
async function naturalEnd(
  mark: StepMark,
  stop: AbortSignal,
  stopping: Promise<StepVerdict>,
): Promise<StepVerdict> {
  if (stop.aborted) return stopping;
  return { kind: 'exited', ...mark };
}

/** Resolves only after `stop` was aborted: TERM, the grace, KILL; the log so far still comes. */
async function stopped(
  { port, control, graceMs }: StepContext,
  cookie: string,
  followed: FollowedStep,
  mark: Promise<StepMark>,
  stop: AbortSignal,
  signal: AbortSignal,
): Promise<StepVerdict> {
  await aborted(stop, signal);
  const within = async (ms: number): Promise<StepMark | undefined> =>
    Promise.race([mark, port.clock.sleep(ms, signal).then(() => undefined)]);

  if (graceMs > 0) {
    const deadline = port.clock.now() + graceMs;
    await Promise.race([followed.accepted, within(graceMs)]);
    // a step that was accepted a moment ago may not have begun
    while (!(await control.stop(cookie, 'TERM', signal)) && port.clock.now() < deadline) await within(50);
    const found = await within(Math.max(0, deadline - port.clock.now()));
    if (found) {
      // what it left behind goes too
      await control.stop(cookie, 'KILL', signal);
      return { kind: 'stopped', signal: 'TERM', ...found };
    }
  }
  await control.stop(cookie, 'KILL', signal);
  const found = await within(lastWordMs);
  return { kind: 'stopped', signal: 'KILL', ...(found ?? { exitCode: null, usage: unknownUsage }) };
}

const unknownUsage: StepUsage = { cpuMs: null, peakMemoryBytes: null, oomKilled: false };

function aborted(signal: AbortSignal, giveUp: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener('abort', settle);
      giveUp.removeEventListener('abort', settle);
      if (giveUp.aborted) reject(giveUp.reason);
      else resolve();
    };
    if (signal.aborted || giveUp.aborted) return settle();
    signal.addEventListener('abort', settle);
    giveUp.addEventListener('abort', settle);
  });
}
