import type { Clock } from '../../base/clock.ts';
import type { Faults } from './rules.ts';

export interface StreamEnd {
  /** Ends the connection: orderly or with a reset. */
  hangUp(how: 'fin' | 'rst'): void;
  /** Lets the connection stand without reading or writing another byte. */
  freeze(): void;
}

/** What every chunk of a stream has to pass, in both directions. */
export interface StreamGate {
  /** Resolves when the chunk may go on: at once, late where the stream is slowed, never where it is stalled. */
  pass(bytes: number): Promise<void>;
  close(): void;
}

/** Applies the rules for streams (cut, stall, throttle) to one that begins now. */
export function openGate(
  faults: Faults,
  kind: string,
  subject: string,
  clock: Clock,
  end: StreamEnd,
): StreamGate {
  const cut = faults.take(['cut'], kind, subject);
  const stall = faults.take(['stall'], kind, subject);
  const throttle = faults.take(['throttle'], kind, subject);
  const closed = new AbortController();
  let passed = 0;
  let stalled = false;
  let ended = false;
  const hangUp = (): void => {
    if (ended) return;
    ended = true;
    end.hangUp(cut?.how ?? 'fin');
  };
  const freeze = (): void => {
    if (stalled) return;
    stalled = true;
    end.freeze();
  };
  const later = (ms: number, act: () => void): void => {
    clock.sleep(ms, closed.signal).then(act, () => {});
  };
  if (cut && cut.bytes === undefined) later(cut.after ?? 0, hangUp);
  if (stall && stall.bytes === undefined) later(stall.after ?? 0, freeze);
  return {
    async pass(bytes) {
      if (cut?.bytes !== undefined && passed + bytes > cut.bytes) hangUp();
      if (stall?.bytes !== undefined && passed + bytes > stall.bytes) freeze();
      if (stalled || ended) await new Promise<void>(() => {});
      passed += bytes;
      if (throttle) await clock.sleep((bytes / throttle.bps) * 1000, closed.signal).catch(() => {});
    },
    close: () => closed.abort(),
  };
}
