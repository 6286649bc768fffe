import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { StreamGate } from '../faults/stream-gate.ts';
import type { RunningContainer } from '../kubelet/container.ts';
import type { ExecProcess } from '../kubelet/exec.ts';
import { ExecError, execIn } from '../kubelet/exec.ts';
import type { Node } from '../kubelet/node.ts';
import { containerMissing, exitStatus, startFailure } from './exec-status.ts';

const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;

export interface ExecRequest {
  readonly container: RunningContainer | undefined;
  readonly containerName: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly node: Node;
}

const bufferOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);

/** Sends one frame and waits until it has left this process. */
const send = (socket: WebSocket, to: number, data: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    socket.send(Buffer.concat([Buffer.from([to]), data]), { binary: true }, () => resolve());
  });

/** Speaks `v5.channel.k8s.io` or `v4.channel.k8s.io` over an open socket, for one program. */
export async function serveExec(socket: WebSocket, request: ExecRequest, gate: StreamGate): Promise<void> {
  socket.on('error', () => {});
  const early: Buffer[] = [];
  const keep = (data: RawData): void => {
    early.push(bufferOf(data));
  };
  socket.on('message', keep);
  const lowest = request.stdout ? channel.stdout : request.stderr ? channel.stderr : channel.status;
  await send(socket, lowest, Buffer.alloc(0)); // tells the client that it is connected

  const finish = async (status: object): Promise<void> => {
    await gate.pass(0);
    await send(socket, channel.status, Buffer.from(JSON.stringify(status)));
    socket.close(1000);
  };
  const { container } = request;
  if (!container) return finish(containerMissing(request.containerName));
  let process: ExecProcess;
  try {
    process = await execIn(container, request.command, request.stdin, request.node);
  } catch (error) {
    const why =
      error instanceof ExecError ? error.message : `unable to start container process: ${String(error)}`;
    return finish(startFailure(why, socket.protocol));
  }
  socket.off('message', keep);
  feed(socket, process, early, gate);
  const outputs = [
    drain(socket, process.stdout, request.stdout ? channel.stdout : undefined, gate),
    drain(socket, process.stderr, request.stderr ? channel.stderr : undefined, gate),
  ];
  // A container runtime lets go of the input as soon as nobody holds one of the outputs.
  Promise.race(outputs).then(
    () => process.stdin?.destroy(),
    () => {},
  );
  const exitCode = await process.exitCode;
  await Promise.all(outputs);
  await finish(exitStatus(exitCode));
}

/** Resolves when a stream can take more, or never will. */
async function drained(stream: Writable): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => {});
  over.abort(); // the other one lets go of its listener
}

/** Hands the client's frames to the program, and holds the client while the program does not read. */
function feed(socket: WebSocket, process: ExecProcess, early: readonly Buffer[], gate: StreamGate): void {
  const { stdin } = process;
  stdin?.on('error', () => stdin.destroy());
  const take = async (frame: Buffer): Promise<void> => {
    const [to] = frame;
    if (to === channel.close && frame[1] === channel.stdin && socket.protocol.startsWith('v5')) stdin?.end();
    if (to !== channel.stdin || frame.length < 2) return;
    await gate.pass(frame.length - 1);
    if (!stdin?.writable || stdin.write(frame.subarray(1))) return;
    await drained(stdin);
  };
  let last = Promise.resolve();
  const queue = (frame: Buffer): void => {
    socket.pause();
    last = last.then(() => take(frame)).then(() => socket.resume());
  };
  early.forEach(queue);
  socket.on('message', (data) => queue(bufferOf(data)));
  // The program goes on without its client; it only gets no more input.
  socket.on('close', () => stdin?.end());
}

/**
 * Sends what the program writes, frame by frame. When the client is gone nobody reads on, and the program is
 * held as soon as its pipe is full: it is not told.
 */
function drain(socket: WebSocket, stream: Readable, to: number | undefined, gate: StreamGate): Promise<void> {
  let sent = Promise.resolve();
  stream.on('data', (chunk: Buffer) => {
    if (to === undefined) return;
    stream.pause();
    if (socket.readyState !== socket.OPEN) return;
    const on = async (): Promise<void> => {
      await gate.pass(chunk.length);
      await send(socket, to, chunk);
      if (socket.readyState === socket.OPEN) stream.resume();
    };
    sent = sent.then(on);
    sent.catch(() => stream.destroy());
  });
  const ended = new Promise<void>((resolve) => {
    stream.once('error', () => resolve());
    stream.once('end', () => resolve());
    stream.once('close', () => resolve());
  });
  return ended.then(() => sent); // a socket tells its end while the last chunk is still on its way
}
