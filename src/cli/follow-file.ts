import { open } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';

export interface FollowFileOptions {
  /** Whether nothing more will be written. */
  readonly isOver: () => Promise<boolean>;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const blockBytes = 64 * 1024;
const pauseMs = 100;

/**
 * The bytes of a file as they come. A run that is taken up cuts its log back and writes the same bytes again, so
 * a file that has become shorter is waited for.
 */
export async function* followFile(
  path: string,
  { isOver, clock, signal }: FollowFileOptions,
): AsyncGenerator<Buffer> {
  await using file = await open(path, 'r');
  for (let position = 0; !signal.aborted; ) {
    const isLast = await isOver(); // asked first, so that what was written before is still read
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, position);
      if (bytesRead === 0 || signal.aborted) break;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    if (isLast) return;
    await clock.sleep(pauseMs, signal).catch(() => {});
  }
}
