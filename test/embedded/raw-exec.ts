import WebSocket from 'ws';
import type { Access } from './fixture.ts';

export interface RawExec {
  readonly socket: WebSocket;
  readonly protocol: string;
  /** Frames as they came: channel and text. */
  readonly frames: readonly (readonly [channel: number, text: string])[];
  /** The close code, or -1 where the connection broke without one. */
  readonly closed: Promise<number>;
}

/** Opens an exec with no client library. Rejects with the answer's code and text where it is refused. */
export function rawExec(
  access: Access,
  pod: string,
  command: readonly string[],
  { protocols = ['v5.channel.k8s.io'], stdin = false, container = 'run' } = {},
): Promise<RawExec> {
  const query = new URLSearchParams({
    stdout: 'true',
    stderr: 'true',
    ...(stdin && { stdin: 'true' }),
    container,
  });
  for (const one of command) query.append('command', one);
  const url = `${access.server.replace('https', 'wss')}/api/v1/namespaces/default/pods/${pod}/exec?${query}`;
  const socket = new WebSocket(url, protocols, {
    ca: access.ca,
    headers: { authorization: `Bearer ${access.token}` },
  });
  const frames: [number, string][] = [];
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => resolve(code === 1006 ? -1 : code));
  });
  socket.on('message', (data) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.from([]);
    frames.push([bytes[0] ?? -1, bytes.subarray(1).toString()]);
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (part) => {
        text += String(part);
      });
      response.on('end', () => reject(new Error(`${response.statusCode} ${text}`)));
    });
    socket.on('open', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      resolve({ socket, protocol: socket.protocol, frames, closed });
    });
  });
}

export const statusOf = ({ frames }: RawExec): unknown => {
  const text = frames.find(([channel]) => channel === 3)?.[1];
  return text === undefined ? undefined : JSON.parse(text);
};

export const outputOf = ({ frames }: RawExec, channel: number): string =>
  frames
    .filter(([one]) => one === channel)
    .map(([, text]) => text)
    .join('');
