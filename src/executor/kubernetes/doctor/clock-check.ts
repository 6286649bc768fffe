import { type Check, failed, passed, skipped, warned } from './check.ts';

/** Between these two moments of this machine's clock the server stamped an object. */
export interface Stamped {
  readonly before: Date;
  readonly after: Date;
  /** As the API writes it: in whole seconds, cut. */
  readonly stamp: string | undefined;
}

const noticeableMs = 5_000;
/** Certificates and tokens that were just made are refused from here on. */
const harmfulMs = 300_000;

/** How far the server's clock and this machine's are apart. Pure. */
export function clockCheck({ before, after, stamp }: Stamped): Check {
  const name = 'clock';
  const stamped = stamp === undefined ? Number.NaN : Date.parse(stamp);
  if (Number.isNaN(stamped)) return skipped(name, 'no object to compare by, skipped');
  const ahead = stamped - after.getTime();
  const behind = before.getTime() - (stamped + 1_000);
  const apart = Math.max(ahead, behind, 0);
  if (apart === 0) return passed(name, 'no difference that can be seen');
  const detail = `this machine's clock is ${Math.round(apart / 1000)} s ${ahead > 0 ? 'behind' : 'ahead of'} the server's`;
  const fix = 'set the clock of either: timedatectl set-ntp true';
  if (apart >= harmfulMs) return failed(name, detail, fix);
  return apart >= noticeableMs ? warned(name, detail, fix) : passed(name, detail);
}
