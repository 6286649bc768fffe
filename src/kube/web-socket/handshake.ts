import { createHash, randomBytes } from 'node:crypto';
import { type Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { RequestHeaders } from '../http-answer.ts';

export interface Handshake<Protocol extends string> {
  readonly url: URL;
  readonly headers: RequestHeaders;
  readonly agent: Agent;
  /** Sub-protocols, best first. */
  readonly protocols: readonly Protocol[];
}

export interface Upgraded<Protocol extends string> {
  readonly socket: Duplex;
  /** What came behind the answer already. */
  readonly head: Buffer;
  readonly protocol: Protocol;
}

/** The server answered with a status of its own. Its body is still to be read. */
export interface UpgradeAnswer {
  readonly answer: IncomingMessage;
}

/**
 * Asks for a WebSocket (RFC 6455, section 4.1). Resolves with it, or with the answer of a server that gave none;
 * rejects with what the socket said, or with the signal's reason.
 */
export function shakeHands<Protocol extends string>(
  { url, headers, agent, protocols }: Handshake<Protocol>,
  signal: AbortSignal,
): Promise<Upgraded<Protocol> | UpgradeAnswer> {
  const key = randomBytes(16).toString('base64');
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    const request = send(url, {
      agent,
      headers: {
        ...headers,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Key': key,
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Protocol': protocols.join(','),
      },
    });
    // Not by the option of the request: it would watch over the connection for as long as that lives.
    const stop = (): void => void request.destroy(signal.reason);
    const over = (): void => signal.removeEventListener('abort', stop);
    signal.addEventListener('abort', stop, { once: true });
    request.on('error', (error) => {
      over();
      reject(error);
    });
    request.once('response', (answer) => {
      over();
      resolve({ answer });
    });
    request.once('upgrade', (answer, socket, head) => {
      over();
      socket.on('error', () => {}); // told by whoever takes it
      const protocol = protocols.find((offered) => offered === answer.headers['sec-websocket-protocol']);
      const isRight =
        answer.headers.upgrade?.toLowerCase() === 'websocket' &&
        answer.headers['sec-websocket-accept'] === acceptOf(key) &&
        answer.headers['sec-websocket-extensions'] === undefined;
      if (isRight && protocol !== undefined && !signal.aborted) resolve({ socket, head, protocol });
      else {
        socket.destroy();
        reject(
          signal.aborted ? signal.reason : new Error('the server opened no WebSocket of the kind asked for'),
        );
      }
    });
    request.end();
  });
}

const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
