import { formatElapsed } from './units.ts';

/** A time to come in the words of where we are: `Tue 1 Dec 2026, 07:02 CET, in 23 h 59 min`. */
export function formatMoment(date: Date, now: Date): string {
  const words = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  const parts = new Map<string, string>(words.formatToParts(date).map(({ type, value }) => [type, value]));
  const named = (...names: readonly string[]): readonly string[] =>
    names.map((name) => parts.get(name) ?? '');
  const day = named('weekday', 'day', 'month', 'year').join(' ');
  const time = named('hour', 'minute').join(':');
  const left = date.getTime() - now.getTime();
  return `${day}, ${time} ${parts.get('timeZoneName') ?? ''}, ${left < 0 ? 'over already' : `in ${formatElapsed(left)}`}`;
}
