import { once } from 'node:events';
import type { PassThrough, Readable } from 'node:stream';
import { RunnerError } from '../base/errors.ts';

const headerBytes = 8;

/** Where the bytes of a program's outputs go. */
export interface Outputs {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
}

/**
 * Takes a connection's two outputs apart: frames of a header (which output, how many bytes) and as many bytes.
 * An output that is not read holds the connection back. Rejects where it ended within a frame, and with what
 * `checkStart` throws of the first bytes.
 */
export async function separateOutputs(
  connection: Readable,
  outputs: Outputs,
  checkStart: (first: Buffer) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let isFirst = true;
  let header = Buffer.alloc(0);
  let left = 0;
  let target = outputs.stdout;
  for await (const chunk of connection) {
    let bytes: Buffer = chunk;
    while (bytes.length > 0) {
      if (left > 0) {
        const piece = bytes.subarray(0, left);
        left -= piece.length;
        bytes = bytes.subarray(piece.length);
        if (isFirst) await checkStart(piece);
        isFirst = false;
        if (!target.write(piece)) await once(target, 'drain', { signal });
        continue;
      }
      const missing = headerBytes - header.length;
      header = Buffer.concat([header, bytes.subarray(0, missing)]);
      bytes = bytes.subarray(missing);
      if (header.length < headerBytes) continue;
      target = outputOf(header, outputs);
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  }
  if (left > 0 || header.length > 0)
    throw new RunnerError('ConnectionLost', 'the connection to a program ended within its output', {
      retry: true,
    });
}

function outputOf(header: Buffer, { stdout, stderr }: Outputs): PassThrough {
  switch (header[0]) {
    case 0: // of standard input, which an engine may echo
    case 1:
      return stdout;
    case 2:
      return stderr;
    default:
      throw new RunnerError('ProtocolViolation', "the engine sent something else than a program's output");
  }
}
