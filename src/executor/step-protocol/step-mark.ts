import { RunnerError } from '../../base/errors.ts';
import type { StepUsage } from '../executor.ts';

/** What the supervisor wrote behind the step's last byte. */
export interface StepMark {
  readonly exitCode: number;
  readonly usage: StepUsage;
}

export interface Split {
  /** The step's own bytes; views of what was pushed. */
  readonly output: readonly Buffer[];
  readonly end: LogEnd | undefined;
}

export interface LogEnd {
  /** Null where the follower in the pod was over without having seen one. */
  readonly mark: StepMark | null;
  /** What came behind it in the same piece. */
  readonly rest: Buffer;
}

/** The follower's last line: `\x1eNONCE over`. */
const over = 'over';

/** The mark is one short line; more than this without its end is no mark. */
const longestMark = 512;

/**
 * Cuts the log stream at the mark: all before it is the step's output, all behind it belongs to nobody.
 * Holds back only bytes that may be the beginning of the mark.
 */
export class MarkSplitter {
  readonly #start: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#start = Buffer.from(`\x1e${nonce} `);
  }

  /** How many bytes are held back. */
  get held(): number {
    return this.#held.length;
  }

  push(chunk: Uint8Array): Split {
    const bytes =
      this.#held.length > 0
        ? Buffer.concat([this.#held, chunk])
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const at = bytes.indexOf(this.#start);
    if (at < 0) {
      const kept = beginningAtEnd(bytes, this.#start);
      this.#held = Buffer.from(bytes.subarray(bytes.length - kept));
      return { output: nonEmpty(bytes.subarray(0, bytes.length - kept)), end: undefined };
    }
    const output = nonEmpty(bytes.subarray(0, at));
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) {
      if (bytes.length - at > longestMark) throw unreadable();
      this.#held = Buffer.from(bytes.subarray(at));
      return { output, end: undefined };
    }
    this.#held = Buffer.alloc(0);
    const text = bytes.toString('latin1', at + this.#start.length, end);
    return { output, end: { mark: text === over ? null : readMark(text), rest: bytes.subarray(end + 1) } };
  }
}

export const nonEmpty = (bytes: Buffer): readonly Buffer[] => (bytes.length > 0 ? [bytes] : []);

/** The line by which a program in the pod tells that it has no more to say: a follower until the next header. */
export const overLine = (nonce: string): Buffer => Buffer.from(`\x1e${nonce} ${over}\n`);

/** How many bytes at the end of `bytes` may be the beginning of `pattern`. */
export function beginningAtEnd(bytes: Buffer, pattern: Buffer): number {
  const [first = 0] = pattern;
  const from = Math.max(0, bytes.length - pattern.length + 1);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (bytes.subarray(at).equals(pattern.subarray(0, bytes.length - at))) return bytes.length - at;
  }
  return 0;
}

/** Fields as supervise.sh writes them: CODE CPU-BEFORE CPU UNIT PEAK-BEFORE PEAK OOM-KILLS. */
function readMark(text: string): StepMark {
  const fields = /^(\d{1,3}) (\d+|-) (\d+|-) (us|ns|-) (\d+|-) (\d+|-) (\d+)$/.exec(text);
  if (!fields) throw unreadable();
  const [, code = '', cpuBefore = '', cpu = '', unit = '', peakBefore = '', peak = '', kills = ''] = fields;
  const cpuTicks = Number(cpu) - Number(cpuBefore);
  return {
    exitCode: Number(code),
    usage: {
      cpuMs:
        Number.isFinite(cpuTicks) && unit !== '-'
          ? Math.max(0, Math.round(cpuTicks / (unit === 'ns' ? 1e6 : 1e3)))
          : null,
      // The kernel keeps one peak for the container's whole life: it is this step's only if it rose in it.
      peakMemoryBytes: Number(peak) > Number(peakBefore) ? Number(peak) : null,
      oomKilled: Number(kills) > 0,
    },
  };
}

const unreadable = (): RunnerError =>
  new RunnerError(
    'ProtocolViolation',
    "the step's end mark cannot be read: something in the pod forged or tore it",
  );
