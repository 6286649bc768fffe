import { expect, it } from 'vitest';
import { endOf, expectFailure, openToEnd } from './end-of-place.ts';
import { itIfAble } from './needs.ts';
import { Session } from './session.ts';
import type { Venue } from './venue.ts';

/** How a run learns that its place has come to an end: soon, by its cause, and never as the step's own result. */
export function placeEndContract(venue: Venue): void {
  it('tells a place that somebody removed', async () => {
    const sandbox = await openToEnd(venue);
    const disturb = (): Promise<void> => venue.takeAway(sandbox.place);
    const error = await endOf(venue, sandbox, { what: 'removed place', disturb });
    expect(error).toMatchObject({ code: 'PodDeleted' });
  });

  it('tells a container that crashed, and leaves a failure', async () => {
    const sandbox = await openToEnd(venue);
    const command = 'sleep 1; kill -TERM 1; sleep 60';
    const error = await endOf(venue, sandbox, { what: 'crash', command });
    expect(error).toMatchObject({ code: 'PodFailed' });
    expect(error.message).toContain('143');
    await expectFailure(venue, sandbox.place);
  });

  itIfAble(venue.can.memoryLimit, 'tells a step’s own out-of-memory kill as its failure', async () => {
    const session = new Session(await openToEnd(venue, venue.executor({ memory: '64Mi' })));
    const { verdict, text } = await session.run('echo before; tail /dev/zero; echo after');
    expect(text).toMatch(/^before\n(Killed\n)?$/);
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: 137, usage: { oomKilled: true } });
    const next = await session.run('echo unharmed');
    expect(next).toMatchObject({ text: 'unharmed\n', verdict: { exitCode: 0, usage: { oomKilled: false } } });
  });

  itIfAble(
    'able' in venue.can.endByMemory ? venue.can.memoryLimit : venue.can.endByMemory,
    'tells the out-of-memory kill of the whole container, and leaves a failure',
    async (settings) => {
      const sandbox = await openToEnd(venue, venue.executor(settings));
      const command = 'sleep 1; echo 1000 >/proc/1/oom_score_adj; tail /dev/zero; sleep 60';
      const error = await endOf(venue, sandbox, { what: 'out of memory', command });
      expect(error).toMatchObject({ code: 'OOMKilled' });
      expect(error.message).toContain('--memory');
      await expectFailure(venue, sandbox.place);
    },
  );
}
