import type { Clock } from '../../base/clock.ts';
import type { Compression, Packing } from './packing.ts';

/** What buffers on the way take at once shows nothing of the link, so the first bytes do not count. */
const from = 4 * 2 ** 20;
const to = 6 * 2 ** 20;
/** Some take more than that: a link may still turn out to be slow until so many bytes have gone. */
const until = 24 * 2 ** 20;
/** Less than this left is not worth a second start. */
const worthwhile = 8 * 2 ** 20;
/** Bytes a second, below which gzip makes up for its work: both ends do some 50 MB/s with it. */
const slow = 20e6;

export interface LinkOptions {
  readonly compress: Compression;
  /** Whether the other end is on this machine. */
  readonly isNear: boolean;
  /** Whether the image can unpack it. */
  readonly gzip: boolean;
  readonly clock: Clock;
}

/** Decides how archives travel, and learns it from the first large one that goes up as it is. */
export class LinkRate {
  readonly #options: LinkOptions;
  #began: number | undefined;
  #isSlow: boolean | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** `size` in bytes, where it is known. */
  packing(size?: number): Packing {
    const { compress, isNear, gzip } = this.#options;
    if (!gzip) return 'none';
    if (compress !== 'auto') return compress;
    if (this.#isSlow !== undefined) return this.#isSlow ? 'gzip' : 'none';
    return isNear || (size ?? 0) >= to + worthwhile ? 'none' : 'gzip';
  }

  /** Hears how many bytes of an upload as it is have been taken; true where it should start anew, compressed. */
  taken(bytes: number, size: number): boolean {
    const { compress, gzip, clock } = this.#options;
    if (compress !== 'auto' || !gzip || this.#isSlow || bytes < from || bytes > until) return false;
    this.#began ??= clock.now();
    if (bytes < to) return false;
    this.#isSlow = ((bytes - from) / Math.max(1, clock.now() - this.#began)) * 1000 < slow;
    return this.#isSlow && size - bytes >= worthwhile;
  }
}
