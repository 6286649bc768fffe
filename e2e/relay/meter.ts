import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Tells of each chunk before it goes on, and lets `bytesPerSecond` through where that is given. */
export function meter(count: (bytes: number) => void, bytesPerSecond: number | undefined): Transform {
  return new Transform({
    highWaterMark: bytesPerSecond === undefined ? 65_536 : 4_096,
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length);
      if (bytesPerSecond === undefined) return done(null, chunk);
      delay((chunk.length / bytesPerSecond) * 1000).then(
        () => done(null, chunk),
        (error) => done(error),
      );
    },
  });
}
