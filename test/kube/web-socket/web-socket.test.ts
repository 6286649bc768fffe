import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../../src/base/clock.ts';
import { shakeHands } from '../../../src/kube/web-socket/handshake.ts';
import { WebSocket } from '../../../src/kube/web-socket/web-socket.ts';

let server: Server;
let agent: Agent;
/** How the server answers an upgrade; by default with a WebSocket. */
let answer: ((key: string) => string) | undefined;
let onOpen: (socket: ServerSocket) => void = () => {};

beforeAll(async () => {
  agent = new Agent({ keepAlive: true });
  server = createServer((_request, response) => response.writeHead(403).end('not you'));
  const upgrades = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (answer) socket.end(answer(request.headers['sec-websocket-key'] ?? ''));
    else upgrades.handleUpgrade(request, socket, head, (opened) => onOpen(opened));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  agent.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const handshake = (signal = new AbortController().signal) => {
  const { port }: AddressInfo = JSON.parse(JSON.stringify(server.address()));
  const url = new URL(`http://127.0.0.1:${port}/`);
  return shakeHands({ url, headers: {}, agent, protocols: ['one', 'two'] as const }, signal);
};

async function opened(onMessage: (bytes: Buffer, isStart: boolean) => void) {
  answer = undefined;
  const upgraded = await handshake();
  if ('answer' in upgraded) throw new Error(`answered with ${upgraded.answer.statusCode}`);
  return new WebSocket({ ...upgraded, clock: systemClock(), isInsideTls: false }, onMessage);
}

describe('a WebSocket', () => {
  it('carries messages of all lengths both ways, masked on the way up', async () => {
    onOpen = (socket) => {
      socket.on('message', (data) => socket.send(data));
    };
    const messages: Buffer[][] = [];
    const socket = await opened((piece, isStart) => {
      if (isStart) messages.push([]);
      messages.at(-1)?.push(piece);
      if (messages.length === lengths.length) done();
    });
    let done: () => void = () => {};
    const lengths = [0, 1, 124, 125, 65_534, 65_535, 300_000, 1];
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    for (const length of lengths) {
      const bytes = Buffer.alloc(length, 'abcdefg');
      await new Promise<void>((resolve, reject) =>
        socket.send(Buffer.from('>'), bytes, (error) => (error ? reject(error) : resolve())),
      );
      expect(bytes, 'what is sent is left as it is').toEqual(Buffer.alloc(length, 'abcdefg'));
    }
    await all;
    expect(messages.map((pieces) => Buffer.concat(pieces))).toEqual(
      lengths.map((length) => Buffer.concat([Buffer.from('>'), Buffer.alloc(length, 'abcdefg')])),
    );
    expect(socket.protocol).toBe('one');
    socket.terminate();
    expect(await socket.closed).toEqual({ code: 1006, error: undefined });
  });

  it('answers a ping, and is answered', async () => {
    const seen: string[] = [];
    onOpen = (socket) => {
      socket.on('pong', (payload) => {
        seen.push(`pong ${payload}`);
        if (seen.length === 2) socket.close(1000);
      });
      socket.on('ping', () => {
        seen.push('ping');
        if (seen.length === 2) socket.close(1000);
      });
      socket.ping('are you there');
    };
    const socket = await opened(() => {});
    socket.ping();
    expect(await socket.closed).toEqual({ code: 1000, error: undefined });
    expect(seen.sort()).toEqual(['ping', 'pong are you there']);
  });

  it('ends with the code of the server, which hears of it again', async () => {
    let heard: Promise<unknown[]> | undefined;
    onOpen = (socket) => {
      heard = once(socket, 'close');
      socket.close(4001, 'enough');
    };
    const socket = await opened(() => {});
    expect(await socket.closed).toEqual({ code: 4001, error: undefined });
    expect((await heard)?.[0]).toBe(4001);
  });

  it('tells that the connection broke', async () => {
    onOpen = (socket) => socket.terminate();
    const socket = await opened(() => {});
    expect(await socket.closed).toMatchObject({ code: 1006 });
    await new Promise<void>((resolve) =>
      socket.send(Buffer.from('>'), Buffer.from('late'), (error) => {
        expect(error).toBeInstanceOf(Error);
        resolve();
      }),
    );
  });
});

describe('a handshake', () => {
  const upgrade = (...lines: string[]): string =>
    ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', ...lines, '', ''].join('\r\n');

  const acceptOf = (key: string): string =>
    createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const right = (key: string): string[] => ['Upgrade: websocket', `Sec-WebSocket-Accept: ${acceptOf(key)}`];
  const protocol = 'Sec-WebSocket-Protocol: one';

  it('takes the sub-protocol that the server chose', async () => {
    answer = (key) => upgrade(...right(key), 'Sec-WebSocket-Protocol: two');
    const upgraded = await handshake();
    if ('answer' in upgraded) throw new Error('it was refused');
    expect(upgraded.protocol).toBe('two');
    upgraded.socket.destroy();
  });

  it.each([
    ['an answer to another key', () => upgrade('Upgrade: websocket', 'Sec-WebSocket-Accept: abc', protocol)],
    ['another upgrade', () => upgrade('Upgrade: SPDY/3.1', protocol)],
    ['no sub-protocol', (key: string) => upgrade(...right(key))],
    ['one that was not offered', (key: string) => upgrade(...right(key), 'Sec-WebSocket-Protocol: three')],
    [
      'an extension that was not asked for',
      (key: string) => upgrade(...right(key), protocol, 'Sec-WebSocket-Extensions: permessage-deflate'),
    ],
  ])('takes no WebSocket with %s', async (_what, text) => {
    answer = text;
    await expect(handshake()).rejects.toThrow('no WebSocket of the kind asked for');
  });

  it('gives the answer of a server that refuses', async () => {
    answer = () => 'HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\n\r\nnot you';
    const refused = await handshake();
    if (!('answer' in refused)) throw new Error('it was not refused');
    expect(refused.answer.statusCode).toBe(403);
    refused.answer.destroy();
  });

  it('ends by its signal, with its reason', async () => {
    const stop = new AbortController();
    answer = () => {
      stop.abort(new Error('enough'));
      return '';
    };
    await expect(handshake(stop.signal)).rejects.toThrow('enough');
  });
});
