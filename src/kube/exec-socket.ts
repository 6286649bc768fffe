import type { Agent, IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { readRefusal } from '../base/http-body.ts';
import { execProtocols } from './exec-frames.ts';
import { ExecSocketSession } from './exec-socket-session.ts';
import type { RequestHeaders } from './http-answer.ts';
import type { ExecProtocol } from './kube-api.ts';
import type { Asked } from './status-error.ts';
import { shakeHands } from './web-socket/handshake.ts';

const openPatienceMs = 30_000;

export interface ExecRoad {
  readonly url: URL;
  readonly headers: RequestHeaders;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly asked: Asked;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  /** Best first. */
  readonly protocols: readonly ExecProtocol[] | undefined;
}

/** The server answered the upgrade with a status of its own: nothing was started. */
export interface UpgradeRefused {
  readonly refused: { readonly answer: IncomingMessage; readonly text: string };
}

/** Rejects with what the socket said where no answer came, or with the signal's reason. */
export function openExecSocket(road: ExecRoad): Promise<ExecSocketSession | UpgradeRefused> {
  const deadline = { name: `the answer to ${road.asked.action}`, ms: road.timeoutMs ?? openPatienceMs };
  return withDeadline(road.clock, deadline, road.signal, async (signal) => {
    const opened = await shakeHands({ ...road, protocols: road.protocols ?? execProtocols }, signal);
    if ('socket' in opened) return new ExecSocketSession(opened, road);
    const { answer } = opened;
    // Of an answer that has come whole it lets be the connection, which has gone back to the agent.
    signal.addEventListener('abort', () => answer.destroy(), { once: true });
    return { refused: { answer, text: await readRefusal(answer) } };
  });
}
