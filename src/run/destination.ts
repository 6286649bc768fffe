import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { badInput, messageOf, RunnerError } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';

/** Where bytes go: a file, made with its parent folders, or a stream that somebody else owns and ends. */
export type Destination =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'stream';
      readonly stream: Writable;
      /** As messages name it: "standard output". */
      readonly name: string;
    };

/** An open destination. One call at a time; the bytes may be used again once a call has resolved. */
export interface ByteSink {
  readonly name: string;
  /** Resolves when the bytes have been taken; rejects with LocalWriteFailed. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Empties the file, if it is one. Rejects with BadInput where it cannot be written. */
export async function openDestination(destination: Destination): Promise<ByteSink> {
  if (destination.kind === 'stream') {
    return streamSink(destination.stream, destination.name);
  }
  try {
    await makeFolder(dirname(destination.path));
    return fileSink(await open(destination.path, 'w'), destination.path);
  } catch (error) {
    throw badInput(`${destination.path} cannot be written: ${messageOf(error)}`, error);
  }
}

export const writeFailed = (name: string, error: unknown): RunnerError =>
  new RunnerError('LocalWriteFailed', `writing to ${name} failed: ${messageOf(error)}`, { cause: error });

/** Takes the file over. */
export function fileSink(file: FileHandle, name: string): ByteSink {
  const named = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      throw writeFailed(name, error);
    }
  };
  return {
    name,
    write: (bytes) => named(() => file.appendFile(bytes)),
    close: () => named(() => file.close()),
  };
}

function streamSink(stream: Writable, name: string): ByteSink {
  // A broken pipe is told to the write's callback as well; unheard, the event would end the process.
  const ignore = (): void => {};
  stream.on('error', ignore);
  let last = Promise.resolve();
  return {
    name,
    write: (bytes) => {
      last = new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(writeFailed(name, error)) : resolve()));
      });
      return last;
    },
    close: async () => {
      await last.catch(() => {});
      stream.off('error', ignore);
    },
  };
}
