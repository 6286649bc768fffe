const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `512 B`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `0.3 s`, `42 s`, `3 min 7 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return formatSeconds(Math.round(ms / 1000));
}

/** Whole seconds, for what is still going on. */
export const formatElapsed = (ms: number): string => formatSeconds(Math.floor(ms / 1000));

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
