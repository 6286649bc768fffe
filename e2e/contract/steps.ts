import { expect, it } from 'vitest';
import type { TestImage } from './images.ts';
import { itIfAble } from './needs.ts';
import type { Session } from './session.ts';

/** The verdict of a step, and what it finds around it. */
export function stepsContract(session: () => Session, image: TestImage): void {
  it.each([0, 1, 2, 42, 125, 126, 127, 128, 130, 137, 143, 255])('keeps exit code %i', async (code) => {
    const { verdict } = await session().run(`exit ${code}`);
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: code });
  });

  it.each([
    ['KILL', 137],
    ['TERM', 143],
  ])('tells a death by %s as a shell does', async (signal, code) => {
    const { verdict } = await session().run(`kill -${signal} $$`);
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: code });
  });

  itIfAble(image.interrupts, 'tells a death by INT as a shell does', async () => {
    expect((await session().run('kill -INT $$')).verdict).toMatchObject({ kind: 'exited', exitCode: 130 });
  });

  it('ends at the first command that fails', async () => {
    const { verdict, text } = await session().run('echo before; false; echo after');
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: 1 });
    expect(text).toBe('before\n');
  });

  it('tells a command that is not there by 127, and one that may not be run by 126', async () => {
    expect((await session().run('no-such-command-here')).verdict).toMatchObject({ exitCode: 127 });
    expect((await session().run(': >plain; ./plain')).verdict).toMatchObject({ exitCode: 126 });
  });

  it('does not take a syntax error for success', async () => {
    const { verdict } = await session().run('if then');
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: 2 });
  });

  it.each([
    ['cat', 'cat; echo after'],
    ['read', 'while read -r line; do echo "[$line]"; done; echo after'],
    ['a shell', 'sh; echo after'],
  ])('gives %s an empty standard input', async (_, command) => {
    expect(await session().output(command)).toBe('after\n');
  });

  it('runs in /work, and leaves what was written there to the next step', async () => {
    expect(await session().output('pwd; echo kept >from-a-step')).toBe('/work\n');
    expect(await session().output('cat /work/from-a-step')).toBe('kept\n');
  });

  it('has /work, /steps, /outputs and /tmp to write to, and a home', async () => {
    const command =
      'for folder in /work /steps /outputs /tmp "$HOME"; do : >"$folder/.probe" && rm "$folder/.probe"; done';
    expect(await session().output(command)).toBe('');
  });

  it('takes a script of any size and with any character', async () => {
    const comments = `# ${'x'.repeat(1000)} é "'\`$( \\\n`.repeat(300);
    expect(await session().output(`${comments}echo 'it'"'"'s' "\\"big\\"" ü\n`)).toBe('it\'s "big" ü\n');
  });

  it('is not held up by what a step leaves running, which runs on', async () => {
    const began = performance.now();
    const { text } = await session().run('sleep 60 & echo $! >/tmp/left; echo done');
    expect(text).toBe('done\n');
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await session().output('kill -0 "$(cat /tmp/left)" && echo there; kill "$(cat /tmp/left)"')).toBe(
      'there\n',
    );
  });

  it('keeps what a step leaves running out of the next step’s log', async () => {
    const noise =
      '(while :; do echo noise; echo . >>/tmp/noise; sleep 1; done) & echo $! >/tmp/noisy; echo one';
    expect(await session().output(`${noise}; until [ -s /tmp/noise ]; do sleep 1; done`)).toMatch(
      /^(one\n|noise\n)+$/,
    );
    const wait = 'had=$(wc -l </tmp/noise); until [ "$(wc -l </tmp/noise)" -gt "$had" ]; do sleep 1; done';
    expect(await session().output(`${wait}; kill "$(cat /tmp/noisy)"; echo two`)).toBe('two\n');
  });

  it('reaps 500 processes that a step orphaned', async () => {
    await session().output('i=0; while [ $i -lt 500 ]; do (sleep 0 &); i=$((i + 1)); done');
    const zombies = 'cat /proc/[0-9]*/stat 2>/dev/null | grep -c "^[0-9]* ([^)]*) Z"';
    const reaped = `i=0; while [ "$(${zombies})" -gt 3 ]; do i=$((i + 1)); [ $i -lt 15 ] || exit 9; sleep 1; done`;
    expect(await session().output(reaped)).toBe('');
  });

  it('tells the time and memory that the kernel counted, or nothing', async () => {
    const { verdict } = await session().run('i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done');
    expect(verdict.usage.oomKilled).toBe(false);
    expect(verdict.usage.cpuMs ?? 1).toBeGreaterThan(0);
    expect(verdict.usage.peakMemoryBytes ?? 1).toBeGreaterThan(0);
  });
}
