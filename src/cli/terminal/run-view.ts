import type { RunEvent } from '../../run/event-schema.ts';

/** What a person sees of a run. Nothing here ever throws: a view that is gone must not end a run. */
export interface RunView extends AsyncDisposable {
  /** Resolves when the terminal or pipe took it. */
  show(event: RunEvent): Promise<void>;
  /** A line beside the run, on standard error: requests and retries. */
  trace(message: string): void;
  /** The last lines; nothing is shown afterwards. Disposing is closing without any. */
  close(lines: readonly string[]): Promise<void>;
}

/** `--quiet`: nothing at all. */
export const silentView: RunView = {
  show: async () => {},
  trace: () => {},
  close: async () => {},
  [Symbol.asyncDispose]: async () => {},
};
