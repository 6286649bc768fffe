import { WebSocket } from 'ws';
import { z } from 'zod';
import type { BareApi } from './bare-api.ts';
import type { PodAddress } from './pod-address.ts';

export interface BareExecOptions {
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly stdout?: (bytes: Buffer) => void | Promise<void>;
}

const statusSchema = z.object({ status: z.string() });

/** A program in a pod by the least code that does it: one WebSocket, sub-protocol v5. */
export function bareExec(
  api: BareApi,
  { pod, container }: PodAddress,
  command: readonly string[],
  { stdin, stdout }: BareExecOptions = {},
): Promise<void> {
  const query = new URLSearchParams({
    container,
    stdout: '1',
    stderr: '1',
    ...(stdin ? { stdin: '1' } : {}),
  });
  for (const word of command) query.append('command', word);
  const path = `/api/v1/namespaces/${api.namespace}/pods/${pod}/exec?${query}`;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(new URL(path, api.server), 'v5.channel.k8s.io', {
      headers: api.headers,
      agent: api.agent,
      perMessageDeflate: false,
    });
    let status = '';
    let stderr = '';
    let written: Promise<unknown> = Promise.resolve();
    socket.on('message', (data: Buffer) => {
      const bytes = data.subarray(1);
      if (data[0] === 2) stderr += bytes;
      if (data[0] === 3) status += bytes;
      const busy = data[0] === 1 ? stdout?.(bytes) : undefined;
      if (!busy) return;
      socket.pause();
      written = busy.then(() => socket.resume());
    });
    socket.on('error', reject);
    socket.on('close', (code) => {
      const isSuccess = status !== '' && statusSchema.parse(JSON.parse(status)).status === 'Success';
      if (isSuccess) written.then(() => resolve(), reject);
      else reject(new Error(`${command.join(' ')}: ${code} ${status} ${stderr}`));
    });
    if (stdin) socket.on('open', () => feed(socket, stdin).catch(reject));
  });
}

async function feed(socket: WebSocket, stdin: AsyncIterable<Uint8Array>): Promise<void> {
  const channel = Buffer.from([0]);
  const send = (frame: Buffer): Promise<void> =>
    new Promise((resolve, reject) => socket.send(frame, (error) => (error ? reject(error) : resolve())));
  for await (const chunk of stdin) await send(Buffer.concat([channel, chunk]));
  await send(Buffer.from([255, 0]));
}
