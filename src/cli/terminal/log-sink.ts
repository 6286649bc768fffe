import { StringDecoder } from 'node:string_decoder';
import { errorCodeOf } from '../../base/system-error.ts';
import { type ByteSink, openDestination } from '../../run/destination.ts';
import type { CliProcess } from '../cli-context.ts';
import { coloursFor } from '../colours.ts';
import { SafeText } from './safe-text.ts';

/** Standard output for a log: into a pipe the bytes go as they are, on a terminal without what could drive it. */
export async function logSink({ stdout, env }: CliProcess): Promise<ByteSink> {
  const sink = await openDestination({ kind: 'stream', stream: stdout, name: 'standard output' });
  if (!stdout.isTTY) return sink;
  const decoder = new StringDecoder('utf8');
  const safe = new SafeText({ colours: coloursFor(stdout, env).isColorSupported });
  return {
    name: sink.name,
    write: (bytes) => sink.write(Buffer.from(safe.push(decoder.write(Buffer.from(bytes))))),
    close: async () => {
      await sink.write(Buffer.from(safe.push(decoder.end()) + safe.end()));
      await sink.close();
    },
  };
}

/** Whether this is the trouble of a pipe whose reader has left, as `| head` does. */
export const isReaderGone = (error: unknown): boolean =>
  error instanceof Error && errorCodeOf(error.cause) === 'EPIPE';
