import { badInput } from '../base/errors.ts';

const form = /^(?:(?<hours>[0-9]+)h)?(?:(?<minutes>[0-9]+)m)?(?:(?<seconds>[0-9]+)s)?$/;
/** Node's timers fire at once when they are set for more than 2^31 ms, not quite 25 days. */
const longestHours = 24 * 24;

/** Milliseconds of a duration: `90s`, `15m`, `2h`, `1h30m`. Throws a BadInput RunnerError for anything else. */
export function parseDuration(text: string): number {
  const parts = form.exec(text)?.groups;
  if (text === '' || !parts) {
    const hint = /^0*[1-9][0-9]*$/.test(text) ? `did you mean ${text}s?` : 'write 90s, 15m, 2h or 1h30m';
    throw badInput(`${JSON.stringify(text)} is no duration; ${hint}`);
  }
  const number = (digits: string | undefined): number => Number(digits ?? 0);
  const seconds = (number(parts.hours) * 60 + number(parts.minutes)) * 60 + number(parts.seconds);
  if (seconds > longestHours * 3600) {
    throw badInput(`${JSON.stringify(text)} is too long; at most ${longestHours}h can be waited`);
  }
  return seconds * 1000;
}

/** Like parseDuration, for a limit: one of nothing at all is refused. */
export function parseTimeLimit(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === 0)
    throw badInput(`${JSON.stringify(text)} leaves no time at all; leave it out for no limit`);
  return milliseconds;
}
