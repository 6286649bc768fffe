import type { Clock } from '../base/clock.ts';

export interface AskedRunner {
  readonly clock: Clock;
  /** Hears what is waited for. */
  readonly tell: (message: string) => void;
  /** What the runner has answered so far, in seconds; undefined once there is nothing to wait for. */
  readonly look: () => Promise<{ readonly endsWithin: string | undefined } | undefined>;
  /** What is done when it has not ended the run: `its Job is deleted from here`. */
  readonly otherwise: string;
  readonly signal: AbortSignal;
}

const lookMs = 250;
/** How long a runner may take to see what it is asked, and to answer. */
const answerMs = 15_000;
/** A wait that is over sooner needs no words. */
const quietMs = 2_000;

/** Resolves when the runner has ended the run that is being cancelled, or is not to be waited for any more. */
export async function letRunnerEnd({ clock, tell, look, otherwise, signal }: AskedRunner): Promise<void> {
  const began = clock.now();
  let told: string | undefined;
  for (;;) {
    const seen = await look();
    if (!seen) return;
    const { endsWithin: answer } = seen;
    const limitMs = answer === undefined ? answerMs : readAnswer(answer);
    const waitedMs = clock.now() - began;
    const wait = waitWord(answer !== undefined, limitMs / 1000);
    if (waitedMs > limitMs) {
      tell(`${wait.over}, so ${otherwise}`);
      return;
    }
    if (waitedMs > quietMs && told !== wait.now) tell(wait.now);
    if (waitedMs > quietMs) told = wait.now;
    await clock.sleep(lookMs, signal);
  }
}

const waitWord = (isAnswered: boolean, seconds: number): { readonly now: string; readonly over: string } =>
  isAnswered
    ? {
        now: `its runner is ending the run, which may take up to ${seconds} s; cancel --now does not wait for it`,
        over: `its runner has not ended the run within ${seconds} s`,
      }
    : {
        now: `waiting up to ${seconds} s for its runner to answer; cancel --now does not`,
        over: `no runner has answered within ${seconds} s`,
      };

/** Of whoever may write it, so it is bounded. */
function readAnswer(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return seconds * 1000;
}
