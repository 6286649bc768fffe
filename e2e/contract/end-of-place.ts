import { expect, onTestFinished } from 'vitest';
import { asRunnerError, type RunnerError } from '../../src/base/errors.ts';
import type { Executor, Place, Sandbox } from '../../src/executor/executor.ts';
import { eventually } from './eventually.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { SeenEnd, Venue } from './venue.ts';

/** Between the place being seen to end and the run knowing why. */
const knownWithinMs = 5_000;
const soon = (): AbortSignal => AbortSignal.timeout(60_000);

/** A sandbox of which nothing is left when the test has closed it. */
export async function openToEnd(venue: Venue, executor: Executor = venue.executor()): Promise<Sandbox> {
  const sandbox = await executor.open(openRequest(), new Recorder(), soon());
  onTestFinished(async () => {
    expect(await sandbox.close(soon())).toMatchObject({ deleted: true, leftover: null });
    expect(await venue.remains(sandbox.place.name)).toEqual([]);
  });
  return sandbox;
}

export interface Ending {
  /** For the figure: `eviction`. */
  readonly what: string;
  /** What the step goes on to do once it has said `ready`. */
  readonly command?: string;
  /** What ends the place, where the step does not. */
  readonly disturb?: () => Promise<unknown>;
}

/** Runs a step whose place ends under it. The error of the step, which came soon after others saw the end. */
export async function endOf(venue: Venue, sandbox: Sandbox, ending: Ending): Promise<RunnerError> {
  const { what, command = 'sleep 60', disturb = async () => {} } = ending;
  const shown = (): Promise<number> =>
    eventually(
      'the place is seen to end',
      async () => ((await venue.isEnding(sandbox.place)) ? performance.now() : undefined),
      75_000,
    );
  let disturbing: Promise<unknown> | undefined;
  let isShown: Promise<number> | undefined;
  const error = await new Session(sandbox)
    .run(`echo ready; ${command}`, {
      onOutput: () => {
        isShown ??= shown();
        disturbing ??= disturb();
      },
    })
    .then(({ verdict }) => {
      throw new Error(`the step came to ${JSON.stringify(verdict)}`);
    }, asRunnerError);
  const known = performance.now();
  await disturbing;
  const ms = Math.round(known - ((await isShown) ?? Number.NaN));
  console.log(`figure: ${venue.name}: ${what}: known ${ms} ms after it was seen`);
  expect(ms).toBeLessThan(knownWithinMs);
  return error;
}

export async function expectFailure(venue: Venue, place: Place): Promise<SeenEnd> {
  const end = await eventually('the place has come to its end', () => venue.end(place));
  expect(end).toMatchObject({ isFailure: true });
  return end;
}
