import { Writable } from 'node:stream';
import { canEndStdin, endOfStdin, stdinPrefix } from './exec-frames.ts';
import type { ExecProtocol } from './kube-api.ts';
import type { WebSocket } from './web-socket/web-socket.ts';

const messageBytes = 256 * 1024;
/** As much as may wait in this process for the network. */
const inFlightBytes = 1024 * 1024;
const nothing = new Uint8Array(0);

/** Standard input of an exec: messages of a bounded size, and no more of them than the network takes. */
export function execStdin(socket: WebSocket<ExecProtocol>): Writable {
  let waiting: (() => void) | undefined;
  const send = (bytes: Uint8Array, done: (error?: Error | null) => void): void => {
    let answered = false;
    const answer = (error?: Error | null): void => {
      if (answered) return;
      answered = true;
      waiting = undefined;
      done(error);
    };
    socket.send(stdinPrefix, bytes, (error) => {
      if (error) answer(error);
      else if (socket.waitingBytes < inFlightBytes) waiting?.();
    });
    if (socket.waitingBytes < inFlightBytes) answer();
    else waiting = answer;
  };
  const sendFrom = (bytes: Uint8Array, start: number, done: (error?: Error | null) => void): void => {
    const end = start + messageBytes;
    const next = (error?: Error | null): void => {
      if (error || end >= bytes.length) done(error);
      else sendFrom(bytes, end, done);
    };
    send(bytes.subarray(start, end), next);
  };
  return new Writable({
    highWaterMark: messageBytes,
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => sendFrom(chunk, 0, done),
    final: (done) => {
      if (canEndStdin(socket.protocol)) socket.send(endOfStdin, nothing, done);
      else done();
    },
  });
}
