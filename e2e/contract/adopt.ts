import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Sandbox, StepRequest, StepVerdict } from '../../src/executor/executor.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { Venue } from './venue.ts';

const soon = (): AbortSignal => AbortSignal.timeout(60_000);

/** A place that one process left is taken up by another. */
export function adoptContract(venue: Venue): void {
  const step: StepRequest = {
    index: 0,
    nonce: randomBytes(8).toString('hex'),
    name: 'counts',
    command:
      'echo x >>/outputs/ran; for i in 1 2 3 4 5; do echo "line $i"; sleep 0.2; done; printf end; exit 7',
    environment: {},
    secrets: {},
    following: 0,
  };

  async function follow(
    sandbox: Sandbox,
    which: StepRequest,
    until?: string,
  ): Promise<{ text: string; verdict: StepVerdict }> {
    const leaving = new AbortController();
    let text = '';
    const verdict = await sandbox.runStep(
      which,
      (bytes) => {
        text += Buffer.from(bytes).toString();
        if (until !== undefined && text.includes(until)) leaving.abort(new Error('left'));
      },
      { stop: new AbortController().signal, abandon: leaving.signal },
    );
    return { text, verdict };
  }

  it('is taken up with the step that runs in it, which is followed from its first byte', async () => {
    const request = openRequest();
    const left = await venue.executor().open(request, new Recorder(), soon());
    await expect(follow(left, step, 'line 2')).rejects.toThrow('left');
    const taken = await venue.executor().adopt(request, new Recorder(), soon());
    expect(taken.place).toEqual(left.place);
    const { text, verdict } = await follow(taken, step);
    expect(text).toBe('line 1\nline 2\nline 3\nline 4\nline 5\nend');
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: 7 });
    const look = { ...step, index: 1, nonce: randomBytes(8).toString('hex'), command: 'cat /outputs/ran' };
    expect((await follow(taken, look)).text).toBe('x\n');
    expect(await taken.close(soon())).toMatchObject({ deleted: true });
    expect(await venue.remains(taken.place.name)).toEqual([]);
    await left.close(soon());
  });

  it('is not there where nothing was left', async () => {
    const adopting = venue.executor().adopt(openRequest(), new Recorder(), soon());
    await expect(adopting).rejects.toMatchObject({ name: 'RunnerError', code: 'NotFound' });
  });

  it('is left alone by another run of the same name', async () => {
    const request = openRequest();
    const sandbox = await venue.executor().open(request, new Recorder(), soon());
    const other = { ...request, run: { ...request.run, id: randomUUID() } };
    const adopting = venue.executor().adopt(other, new Recorder(), soon());
    await expect(adopting).rejects.toMatchObject({ name: 'RunnerError', code: 'NotFound' });
    expect(await new Session(sandbox).output('echo well')).toBe('well\n');
    expect(await sandbox.close(soon())).toMatchObject({ deleted: true });
  });
}
