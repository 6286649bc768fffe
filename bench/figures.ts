/** Numbers as people read them. */

export function time(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

export const ratio = (value: number): string => value.toFixed(2);
