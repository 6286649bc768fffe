import { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { canEndStdin, endOfStdinFrame, stdinFrame } from './exec-frames.ts';

const frameBytes = 256 * 1024;
/** As much as may wait in this process for the network. */
const inFlightBytes = 1024 * 1024;

/** Standard input of an exec: frames of a bounded size, and no more of them than the network takes. */
export function execStdin(socket: WebSocket): Writable {
  let waiting: (() => void) | undefined;
  const send = (frame: Buffer, done: (error?: Error | null) => void): void => {
    let answered = false;
    const answer = (error?: Error | null): void => {
      if (answered) return;
      answered = true;
      waiting = undefined;
      done(error);
    };
    socket.send(frame, (error) => {
      if (error) answer(error);
      else if (socket.bufferedAmount < inFlightBytes) waiting?.();
    });
    if (socket.bufferedAmount < inFlightBytes) answer();
    else waiting = answer;
  };
  const sendFrom = (bytes: Uint8Array, start: number, done: (error?: Error | null) => void): void => {
    const end = start + frameBytes;
    const next = (error?: Error | null): void => {
      if (error || end >= bytes.length) done(error);
      else sendFrom(bytes, end, done);
    };
    send(stdinFrame(bytes.subarray(start, end)), next);
  };
  return new Writable({
    highWaterMark: frameBytes,
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => sendFrom(chunk, 0, done),
    final: (done) => {
      if (canEndStdin(socket.protocol)) socket.send(endOfStdinFrame(), (error) => done(error));
      else done();
    },
  });
}
