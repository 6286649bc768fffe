import type { Colors } from 'picocolors/types.js';
import type { Clock } from '../../base/clock.ts';
import { logText, narrate } from './narration.ts';
import type { RunStatus } from './run-status.ts';
import { formatStatus, nextStatus } from './run-status.ts';
import type { RunView } from './run-view.ts';
import { SafeText } from './safe-text.ts';
import type { SteadyWriter } from './steady-writer.ts';

export interface ViewParts {
  readonly out: SteadyWriter;
  readonly error: SteadyWriter;
  readonly clock: Clock;
  readonly colours: Colors;
  /** How many steps the run has. */
  readonly steps: number;
}

const repeatMs = 30_000;
/** What a pod passes through on its way up within this time is no reason for waiting. */
const settleMs = 1_000;

/** Lines only, for a pipe, a file or a CI log: a reason for waiting is told once it has stood for 1 s, and every 30 s. */
export function plainView(parts: ViewParts): RunView {
  const { out, error, clock, colours, steps } = parts;
  const safe = new SafeText({ colours: colours.isColorSupported });
  const ended = new AbortController();
  let status: RunStatus = { kind: 'between', since: clock.now() };
  let told = clock.now();
  let lineIsOpen = false;
  /** When the reason that has not been told yet was heard. */
  let untold: number | undefined;

  const writeLines = async (lines: readonly string[]): Promise<void> => {
    if (lines.length === 0) return;
    const text = `${lineIsOpen ? '\n' : ''}${lines.join('\n')}\n`;
    lineIsOpen = false;
    told = clock.now();
    await out.write(text);
  };
  void repeat();

  const close = async (lines: readonly string[]): Promise<void> => {
    if (ended.signal.aborted) return;
    ended.abort();
    await writeLines(lines);
    await error.write('');
  };
  return {
    close,
    [Symbol.asyncDispose]: () => close([]),
    async show(event) {
      const now = clock.now();
      const lines = narrate(event, status, now, colours);
      status = nextStatus(status, event, now);
      untold = event.type === 'waiting' ? now : event.type === 'phase' ? undefined : untold;
      if (event.type === 'log') {
        const text = safe.push(logText(event));
        if (text !== '') lineIsOpen = !text.endsWith('\n');
        told = now;
        await out.write(text);
        return;
      }
      await writeLines(lines);
    },
    trace(message) {
      void error.write(`${message}\n`);
    },
  };

  /** A step's silence is its own; ours while waiting or sending is not. */
  async function repeat(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(settleMs, ended.signal).catch(() => {});
      const now = clock.now();
      const isQuiet = now - told >= repeatMs && status.kind !== 'step' && status.kind !== 'between';
      const isNews = untold !== undefined && now - untold >= settleMs;
      if (ended.signal.aborted || !(isQuiet || isNews)) continue;
      untold = undefined;
      await writeLines([formatStatus(status, now, steps)]);
    }
  }
}
