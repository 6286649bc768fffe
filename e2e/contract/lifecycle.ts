import { expect, it, onTestFinished } from 'vitest';
import type { RunnerError } from '../../src/base/errors.ts';
import type { OpenRequest, Place, Sandbox } from '../../src/executor/executor.ts';
import { eventually } from './eventually.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { Venue } from './venue.ts';

/** What is there while a run is open, and what is left of it. */
export function lifecycleContract(venue: Venue): void {
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  /** An open sandbox that the test's end closes, if the test has not. */
  async function open(
    request: OpenRequest = openRequest(),
    observer: Recorder = new Recorder(),
  ): Promise<Sandbox> {
    const sandbox = await venue.executor().open(request, observer, soon());
    onTestFinished(async () => {
      await sandbox.close(soon());
    });
    return sandbox;
  }

  const expectNothing = async ({ name }: Place): Promise<void> => {
    expect(name).not.toBe('');
    expect(await venue.remains(name)).toEqual([]);
  };

  it('tells its place, which others see too', async () => {
    const observer = new Recorder();
    const { place } = await open(openRequest(), observer);
    expect(observer.places.at(-1)).toEqual(place);
    expect(identityOf(place)).toMatch(/./);
    expect(await venue.remains(place.name)).not.toEqual([]);
    expect(await venue.end(place)).toBeUndefined();
  });

  it('has removed all of it once it is closed', async () => {
    const sandbox = await open();
    const began = performance.now();
    expect(await sandbox.close(soon())).toEqual({ deleted: true, kept: false, leftover: null });
    expect(performance.now() - began).toBeLessThan(10_000);
    await expectNothing(sandbox.place);
  });

  it('closes in mid-step, once the step was abandoned', async () => {
    const sandbox = await open();
    const abandon = new AbortController();
    const step = new Session(sandbox).run('echo ready; sleep 60', {
      abandon: abandon.signal,
      onOutput: () => abandon.abort(new Error('abandoned by the test')),
    });
    await expect(step).rejects.toThrow('abandoned by the test');
    expect(await sandbox.close(soon())).toMatchObject({ deleted: true });
    await expectNothing(sandbox.place);
  });

  it('refuses a name that is taken, saying by what, and leaves the first run alone', async () => {
    const request = openRequest();
    const sandbox = await open(request);
    const second = { ...request, run: { ...request.run, id: openRequest().run.id } };
    const refused = await venue
      .executor()
      .open(second, new Recorder(), soon())
      .catch((error: RunnerError) => error);
    expect(refused).toMatchObject({ code: 'AlreadyExists' });
    expect(refused).toHaveProperty('message', expect.stringContaining(sandbox.place.name));
    expect(await new Session(sandbox).output('echo unharmed')).toBe('unharmed\n');
  });

  it('takes the same name again as soon as the first run is closed', async () => {
    const request = openRequest();
    const first = await open(request);
    await first.close(soon());
    const second = await open(request);
    expect(second.place.name).toBe(first.place.name);
    expect(identityOf(second.place)).not.toBe(identityOf(first.place));
  });

  it('keeps what the run asked to keep, and says how to remove it', async () => {
    const sandbox = await open(openRequest({ keep: true }));
    const { place } = sandbox;
    const closed = await sandbox.close(soon());
    expect(closed).toMatchObject({ deleted: false, kept: true });
    expect(closed.leftover).toContain(place.name);
    expect(await venue.remains(place.name)).not.toEqual([]);
    expect(await venue.end(place)).toBeUndefined();
    await venue.discard(place);
    await eventually('it is gone', async () =>
      (await venue.remains(place.name)).length === 0 ? true : undefined,
    );
  });

  it('leaves nothing when it is called off while it opens', async () => {
    const called = new AbortController();
    const observer = new Recorder();
    const place = observer.place.bind(observer);
    observer.place = (told) => {
      place(told);
      if (identityOf(told) !== null) called.abort(new Error('called off by the test'));
    };
    const opening = venue.executor().open(openRequest(), observer, called.signal);
    await expect(opening).rejects.toThrow('called off by the test');
    const told = observer.places.at(-1);
    if (!told) throw new Error('no place was told');
    await expectNothing(told);
  });
}

const identityOf = (place: Place): string | null => (place.kind === 'job' ? place.uid : place.id);
