import type { RunEvent } from '../../run/event-schema.ts';
import { safeLine } from './safe-text.ts';
import { formatBytes, formatElapsed } from './units.ts';

/** What a run is doing now, from its events. `at` and `since` are milliseconds of the same clock. */
export type RunStatus =
  | { readonly kind: 'waiting'; readonly since: number; readonly what: string | null }
  | {
      readonly kind: 'transfer';
      readonly since: number;
      readonly direction: 'upload' | 'download';
      readonly bytes: number;
      readonly total: number | null;
    }
  | { readonly kind: 'step'; readonly since: number; readonly name: string; readonly number: number }
  | { readonly kind: 'between'; readonly since: number }
  | { readonly kind: 'cleanup'; readonly since: number };

export function nextStatus(status: RunStatus, event: RunEvent, now: number): RunStatus {
  switch (event.type) {
    case 'phase':
      return statusOfPhase(event.phase, now);
    case 'waiting': {
      const since = status.kind === 'waiting' ? status.since : now;
      return { kind: 'waiting', since, what: safeLine(`${event.reason}: ${event.message}`) };
    }
    case 'transfer': {
      const since = status.kind === 'transfer' && status.direction === event.direction ? status.since : now;
      const { direction, bytes, total } = event;
      return { kind: 'transfer', since, direction, bytes, total };
    }
    case 'step-started':
      return { kind: 'step', since: now, name: safeLine(event.step), number: event.index + 1 };
    case 'step-finished':
      return { kind: 'between', since: now };
    default:
      return status;
  }
}

function statusOfPhase(phase: Extract<RunEvent, { type: 'phase' }>['phase'], now: number): RunStatus {
  switch (phase) {
    case 'wait':
      return { kind: 'waiting', since: now, what: null };
    case 'upload':
      return { kind: 'transfer', since: now, direction: 'upload', bytes: 0, total: null };
    case 'steps':
      return { kind: 'between', since: now };
    case 'download':
      return { kind: 'transfer', since: now, direction: 'download', bytes: 0, total: null };
    case 'cleanup':
      return { kind: 'cleanup', since: now };
  }
}

/** One line, not yet cut to the terminal's width. */
export function formatStatus(status: RunStatus, now: number, steps: number): string {
  const elapsed = formatElapsed(now - status.since);
  switch (status.kind) {
    case 'waiting':
      return `waiting to start, ${elapsed}${status.what === null ? '' : `: ${status.what}`}`;
    case 'transfer':
      return `${status.direction === 'upload' ? 'sending the checkout' : 'fetching the outputs'}, ${elapsed}: ${formatProgress(status.bytes, status.total, now - status.since)}`;
    case 'step':
      return `step ${status.number} of ${steps}, ${elapsed}: ${status.name}`;
    case 'between':
      return `between steps, ${elapsed}`;
    case 'cleanup':
      return `cleaning up, ${elapsed}`;
  }
}

/** `3.4 MB of 10 MB, 1.2 MB/s`. */
export function formatProgress(bytes: number, total: number | null, ms: number): string {
  const amount = total === null ? formatBytes(bytes) : `${formatBytes(bytes)} of ${formatBytes(total)}`;
  return ms < 500 ? amount : `${amount}, ${formatBytes((bytes * 1000) / ms)}/s`;
}
