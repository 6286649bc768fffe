import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { placeSchema } from './address.ts';
import { eventually } from './eventually.ts';
import type { Venue } from './venue.ts';

const orphanMs = 10_000;
const scriptAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What becomes of a run whose runner was killed and never comes back. */
export function orphanContract(venue: Venue): void {
  it('ends its place by itself, as a failure, and leaves it to what removes such', async () => {
    const settings = JSON.stringify({ address: venue.address, orphanMs });
    const argv = [scriptAt('../../scripts/run-ts.mjs'), scriptAt('abandoned-runner.ts'), settings];
    const runner = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void runner.kill('SIGKILL'));
    const [line] = await once(createInterface(runner.stdout), 'line');
    const place = placeSchema.parse(JSON.parse(line));
    runner.kill('SIGKILL');
    const killed = performance.now();
    // the lease is looked at every 5 s
    const end = await eventually('the place has ended', () => venue.end(place), orphanMs + 20_000);
    const ms = Math.round(performance.now() - killed);
    console.log(`figure: ${venue.name}: a place with a lease of ${orphanMs} ms ended after ${ms} ms`);
    expect(end).toEqual({ isFailure: true, exitCode: 75 });
    await venue.collect(place);
    await eventually('nothing of the run is left', async () =>
      (await venue.remains(place.name)).length === 0 ? true : undefined,
    );
  }, 80_000);
}
