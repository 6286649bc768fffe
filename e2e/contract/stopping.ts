import { expect, it } from 'vitest';
import type { Ran, RunOptions, Session } from './session.ts';

/** How a step is ended from outside. */
export function stoppingContract(session: () => Session): void {
  /** Runs the command and stops it once it has said `ready`. */
  async function stopped(command: string, options: RunOptions = {}): Promise<Ran & { readonly ms: number }> {
    const stop = new AbortController();
    let began = 0;
    const ran = await session().run(command, {
      ...options,
      stop: stop.signal,
      onOutput: (text) => {
        if (stop.signal.aborted || !text.includes('ready')) return;
        began = performance.now();
        stop.abort(new Error('stopped by the test'));
      },
    });
    return { ...ran, ms: performance.now() - began };
  }

  it('ends a step by TERM', async () => {
    const { verdict, ms } = await stopped('echo ready; sleep 60');
    expect(verdict).toMatchObject({ kind: 'stopped', signal: 'TERM', exitCode: 143 });
    expect(ms).toBeLessThan(10_000);
  });

  it('lets the step put things in order first, and brings what it says then', async () => {
    const { verdict, text } = await stopped(
      'trap "echo tidied; exit 7" TERM; echo ready; while :; do sleep 1; done',
    );
    expect(verdict).toMatchObject({ kind: 'stopped', signal: 'TERM', exitCode: 7 });
    // a busybox shell says of its sleep that it was Terminated
    expect(text).toMatch(/^ready\n(Terminated\n)?tidied\n$/);
  });

  it('kills a step that does not hear TERM, after the grace', async () => {
    const { verdict, ms } = await stopped('trap "" TERM; echo ready; while :; do sleep 1; done');
    expect(verdict).toMatchObject({ kind: 'stopped', signal: 'KILL' });
    expect(ms).toBeGreaterThan(1_900);
    expect(ms).toBeLessThan(15_000);
  });

  it('leaves nothing of the step running, whatever it put in the background', async () => {
    const beat = '(while :; do echo . >>/tmp/beat; sleep 1; done) &';
    const deaf = `(trap "" TERM; while :; do echo . >>/tmp/beat; sleep 1; done) &`;
    // a session of its own, where there is a setsid: no longer of the step's process group
    const gone = `! command -v setsid >/dev/null || setsid sh -c '${deaf}' &`;
    await stopped(`${beat} ${deaf} sh -c '${beat}' & ${gone} echo ready; wait; sleep 60`);
    const grown = 'had=$(wc -c </tmp/beat); sleep 2; echo $(($(wc -c </tmp/beat) - had))';
    expect(await session().output(grown)).toBe('0\n');
  });

  it('goes on with the next step', async () => {
    expect(await session().output('echo next')).toBe('next\n');
  });
}
