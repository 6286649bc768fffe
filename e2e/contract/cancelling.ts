import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Rule } from '../relay/rules.ts';
import { type Ended, expectPlaceGone, runCommand } from './command-run.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { itIfAble } from './needs.ts';
import type { Venue } from './venue.ts';

/** From the signal to the place being gone, for a step that ends on TERM and a run without outputs. */
const goneWithinMs = 5_000;

/** SIGINT in each phase of a run: whatever it does then, it says `cancelled` and leaves nothing. */
export function cancellingContract(venue: Venue): void {
  let folder = '';
  let runs = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  interface Cancelled extends Ended {
    /** From the first signal to the end of the process. */
    readonly ms: number;
  }

  interface Circumstances {
    readonly args?: readonly string[];
    readonly outputs?: boolean;
    /** What the way there does to requests. */
    readonly rules?: readonly Rule[];
  }

  /** Runs the step; sends SIGINT when its events hold the text, and once more when they hold the second. */
  async function cancelled(
    step: string,
    when: readonly string[],
    { args = [], outputs = false, rules = [] }: Circumstances = {},
  ): Promise<Cancelled> {
    const here = join(folder, `run-${runs++}`);
    const events = join(here, 'events.jsonl');
    await mkdir(here);
    await writeFile(join(here, 'steps.tsv'), `only\t${step}\n`);
    await using road = rules.length > 0 ? await venue.openRoad(here) : undefined;
    road?.faults.add(...rules);
    let signalled = Number.NaN;
    const meanwhile = async (child: ChildProcess): Promise<void> => {
      for (const text of when) {
        await eventually(`the events hold ${text}`, async () =>
          (await readFile(events, 'utf8').catch(() => '')).includes(text) ? true : undefined,
        );
        if (Number.isNaN(signalled)) signalled = performance.now();
        child.kill('SIGINT');
      }
    };
    const ended = await runCommand(here, {
      outputs,
      meanwhile,
      args: [
        ...['--name', here, '--steps-file', join(here, 'steps.tsv'), '--events', events],
        ...(road ?? venue).arguments,
        ...args,
      ],
    });
    const ms = performance.now() - signalled;
    await expectPlaceGone(venue, ended.result);
    return { ...ended, ms };
  }

  function expectCancelled({ code, result }: Ended): void {
    expect(code).toBe(130);
    expect(result).toMatchObject({ status: 'cancelled', reason: { code: 'Cancelled' } });
  }

  const tellingPhase = (phase: string): string => `"type":"phase","phase":"${phase}"`;

  itIfAble(venue.can.waiting, 'while it waits for its place', async ({ word, arguments: args }) => {
    expectCancelled(await cancelled('true', [word], { args }));
  });

  it('while the checkout is sent', async () => {
    const checkout = join(folder, 'large');
    await mkdir(checkout);
    await writeFile(join(checkout, 'zeros'), '');
    await truncate(join(checkout, 'zeros'), 1_500_000_000);
    const args = ['--workdir', checkout, '--compress', 'none'];
    const ended = await cancelled('true', ['"direction":"upload"'], { args });
    expectCancelled(ended);
    expect(ended.result.steps[0]?.status).toBe('skipped');
  });

  it('while a step runs: its place is gone within seconds', async () => {
    const ended = await cancelled('echo ready; sleep 60', ['ready\\n']);
    expectCancelled(ended);
    console.log(`figure: ${venue.name}: cancel to gone: ${Math.round(ended.ms)} ms`);
    expect(ended.ms).toBeLessThan(goneWithinMs);
  });

  it('twice: the grace is not waited for', async () => {
    // the sleep dies of the TERM, and `sh -e` would end with it
    const deaf = 'trap "echo asked" TERM; echo ready; while :; do sleep 1 || :; done';
    const ended = await cancelled(deaf, ['ready\\n', 'asked\\n'], { args: ['--grace', '5m'] });
    expectCancelled(ended);
    expect(ended.ms).toBeLessThan(20_000);
  });

  it('while the outputs are fetched: they still come, and the run is cancelled', async () => {
    const large = 'dd if=/dev/zero of=/outputs/zeros bs=1 count=0 seek=600000000';
    const ended = await cancelled(large, ['"direction":"download"'], {
      args: ['--compress', 'none'],
      outputs: true,
    });
    expectCancelled(ended);
    expect(ended.result.outputs).toEqual({ files: 1, bytes: 600_000_000, complete: true });
    await rm(ended.outputs, { recursive: true });
  });

  it('while the place is removed: the run is judged by then, and the place still goes', async () => {
    // held: a removal takes too little time to be sure of signalling in it
    const held = { ...venue.obstacles['in the cleanup'], do: 'delay', ms: 1_500 } as const;
    const ended = await cancelled('true', [tellingPhase('cleanup')], { rules: [held] });
    expect(ended.code).toBe(0);
    expect(ended.result.status).toBe('success');
  });
}
