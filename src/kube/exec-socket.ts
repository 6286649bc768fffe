import type { Agent, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { readRefusal } from '../base/http-body.ts';
import { execProtocols } from './exec-frames.ts';
import { ExecSocketSession } from './exec-socket-session.ts';
import type { RequestHeaders } from './http-answer.ts';
import type { ExecProtocol } from './kube-api.ts';
import type { Asked } from './status-error.ts';

/** The API server's own pieces are 32 KiB. */
const maxFrameBytes = 8 * 1024 * 1024;
const openPatienceMs = 30_000;

/**
 * A mask of zeros, with which ws leaves the masking out: a pass over every byte that goes up. Masks keep scripts of
 * browsers from talking to proxies on the way; inside TLS there is nobody to talk to.
 */
const unmasked = { generateMask: (mask: Buffer) => void mask.fill(0) };

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
  return withDeadline(
    road.clock,
    deadline,
    road.signal,
    (signal) =>
      new Promise((resolve, reject) => {
        // known to ws 8.23, not yet to its types: how long a server may take to close after its close frame
        const closing = { closeTimeout: 2_000 };
        const socket = new WebSocket(road.url, [...(road.protocols ?? execProtocols)], {
          headers: road.headers,
          agent: road.agent,
          perMessageDeflate: false,
          maxPayload: maxFrameBytes,
          ...closing,
          ...(road.url.protocol === 'https:' ? unmasked : {}),
        });
        const stop = (): void => socket.terminate();
        signal.addEventListener('abort', stop, { once: true });
        // Stays on: ws tells of an abort during the handshake by an error some ticks later.
        socket.on('error', reject);
        socket.once('close', () => {
          signal.removeEventListener('abort', stop);
          reject(new Error('the connection was closed during the WebSocket handshake'));
        });
        socket.once('open', () => {
          signal.removeEventListener('abort', stop);
          if (signal.aborted) return socket.terminate();
          resolve(new ExecSocketSession(socket, road));
        });
        socket.once('unexpected-response', (_request, answer) => {
          readRefusal(answer).then((text) => {
            // No terminate() here: it would destroy a connection that has gone back to the agent, which may then
            // give it to the next request.
            signal.removeEventListener('abort', stop);
            resolve({ refused: { answer, text } });
          }, reject);
        });
      }),
  );
}
