import { badInput } from '../base/errors.ts';
import type { Onlooker, WatchEnd, WatchedRun } from '../executor/executor.ts';
import type { ByteSink } from './destination.ts';
import { LogWriter } from './log-writer.ts';
import { SecretMask } from './masking/secret-mask.ts';

export interface ShowRequest {
  readonly run: WatchedRun;
  /** By name; all that the run has. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly log: ByteSink;
  /** Hears what is not the log; masked. */
  readonly told: Pick<Onlooker, 'waiting' | 'warning' | 'trace' | 'entered'>;
  readonly signal: AbortSignal;
}

/** Writes the log of a run that another process conducts, as that writes its own. Rejects with BadInput, before
 * anything is shown, where a secret of the run is not known. */
export function showRun({ run, secrets, log: sink, told, signal }: ShowRequest): Promise<WatchEnd> {
  const missing = run.secretNames.filter((name) => secrets[name] === undefined);
  if (missing.length > 0) throw secretsMissing(missing);
  const mask = new SecretMask(secrets);
  const log = new LogWriter(sink);
  let masker = mask.stream();
  const write = async (masked: Uint8Array): Promise<void> => {
    if (masked.length > 0) await log.write(masked);
  };
  const onlooker: Onlooker = {
    entered: told.entered,
    warning: (message) => told.warning(mask.text(message)),
    trace: (message) => told.trace(mask.text(message)),
    waiting: (waiting) => told.waiting(waiting && { ...waiting, message: mask.text(waiting.message) }),
    stepStarted: async (name) => {
      masker = mask.stream();
      await log.startStep(mask.text(name));
    },
    output: (bytes) => write(masker.write(bytes)),
    // Whether the step was cut short cannot be seen from here, so an end that may be half a secret counts as one.
    stepEnded: () => write(masker.end(true)),
  };
  return run.follow(onlooker, signal);
}

const secretsMissing = (names: readonly string[]) =>
  badInput(
    `the run has secrets, and what cannot be masked is not shown; missing: ${names.join(', ')}; give each as --secret NAME, with its value in the variable NAME here, or as --secret NAME=@FILE`,
  );
