import { CarriedColour, withoutColours } from './carried-colour.ts';
import { LiveScreen } from './live-screen.ts';
import { LogLines } from './log-lines.ts';
import { logText, narrate } from './narration.ts';
import type { ViewParts } from './plain-view.ts';
import type { RunStatus } from './run-status.ts';
import { formatStatus, nextStatus } from './run-status.ts';
import type { RunView } from './run-view.ts';
import { SafeText } from './safe-text.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 125;

/** For a terminal: the log scrolls, and below it one line says what the run does now and for how long. */
export function liveView(parts: ViewParts, columns: () => number): RunView {
  const { out, error, clock, colours, steps } = parts;
  const safe = new SafeText({ colours: colours.isColorSupported });
  const colour = new CarriedColour();
  const log = new LogLines();
  const screen = new LiveScreen();
  const ended = new AbortController();
  let status: RunStatus = { kind: 'between', since: clock.now() };
  void redraw();

  const draw = (staying: string): Promise<void> => {
    const now = clock.now();
    const frame = frames[Math.floor(now / frameMs) % frames.length] ?? '';
    const open = withoutColours(log.open).replaceAll('\r', '').replaceAll('\t', '    ');
    const live = [`${frame} ${formatStatus(status, now, steps)}`];
    return out.write(screen.draw(staying, open === '' ? live : [open, ...live], columns()));
  };
  const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

  const close = async (lines: readonly string[]): Promise<void> => {
    if (ended.signal.aborted) return;
    ended.abort();
    await out.write(screen.draw(colour.wrap(log.end()) + asText(lines), [], columns()));
  };
  return {
    close,
    [Symbol.asyncDispose]: () => close([]),
    async show(event) {
      const now = clock.now();
      const lines = narrate(event, status, now, colours);
      status = nextStatus(status, event, now);
      if (event.type === 'log') return draw(colour.wrap(log.push(safe.push(logText(event)))));
      if (lines.length === 0) return;
      await draw(colour.wrap(log.end()) + asText(lines));
    },
    trace(message) {
      // Standard error may be the same terminal: the live lines must be out of its way.
      void out.write(screen.draw('', [], columns()));
      void error.write(`${message}\n`);
    },
  };

  async function redraw(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(frameMs, ended.signal).catch(() => {});
      if (!ended.signal.aborted) await draw('');
    }
  }
}
