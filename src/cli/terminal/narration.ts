import type { Colors } from 'picocolors/types.js';
import type { RunEvent } from '../../run/event-schema.ts';
import { markOf } from './closing-lines.ts';
import type { RunStatus } from './run-status.ts';
import { formatProgress } from './run-status.ts';
import { safeLine } from './safe-text.ts';
import { formatDuration } from './units.ts';

/** The lines that tell an event for good, beside the log itself. `status` is what it was before the event. */
export function narrate(event: RunEvent, status: RunStatus, now: number, colours: Colors): readonly string[] {
  switch (event.type) {
    case 'phase':
      return status.kind === 'transfer' && status.bytes > 0 ? [transferLine(status, now)] : [];
    case 'step-started':
      return [colours.bold(colours.cyan(`── ${safeLine(event.step)}`))];
    case 'step-finished': {
      const { status: outcome, exitCode, durationMs, reason } = event.result;
      if (outcome === 'skipped') return [];
      const code = exitCode === null || exitCode === 0 ? '' : `, exit code ${exitCode}`;
      const why = reason === null || reason.code === 'StepFailed' ? '' : `, ${safeLine(reason.message)}`;
      const time = durationMs === null ? '' : ` ${colours.dim(formatDuration(durationMs))}`;
      return [`${markOf(outcome, colours)} ${safeLine(event.step)}: ${outcome}${code}${why}${time}`];
    }
    case 'warning':
      return [`${colours.yellow('warning:')} ${safeLine(event.message)}`];
    default:
      return [];
  }
}

function transferLine(status: Extract<RunStatus, { kind: 'transfer' }>, now: number): string {
  const ms = now - status.since;
  const progress = formatProgress(status.bytes, null, ms);
  return `${status.direction === 'upload' ? 'sent' : 'fetched'} ${progress} (${formatDuration(ms)})`;
}

/** The bytes of a log event as text; what is no UTF-8 becomes replacement characters. */
export const logText = (event: Extract<RunEvent, { type: 'log' }>): string =>
  'text' in event ? event.text : Buffer.from(event.base64, 'base64').toString('utf8');
