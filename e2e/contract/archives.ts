import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { unpackOutputs } from '../../src/archive/unpack-outputs.ts';
import type { RunnerError } from '../../src/base/errors.ts';
import type { FetchOutcome, OutgoingArchive } from '../../src/executor/executor.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { TestImage } from './images.ts';
import type { Session } from './session.ts';
import { describeTree, makeOddTree } from './trees.ts';

const quiet = { progress: () => {} };

/** What is sent arrives as it was, and so does what is fetched. */
export function archivesContract(session: () => Session, image: TestImage): void {
  let folder = '';
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  async function send(tree: string, target: 'work' | 'steps'): Promise<void> {
    const listing = await listTree(tree, { files: 'all', exclude: [] });
    const archive = packTrees([{ listing, target, executable: target === 'steps' }], () => {});
    await session().sandbox.send(archive, quiet, AbortSignal.timeout(60_000));
  }

  interface Fetched {
    readonly outcome: FetchOutcome;
    readonly files: number;
  }

  async function fetched(paths: readonly string[], destination: string): Promise<Fetched> {
    const archive = await session().sandbox.fetch(paths, quiet, AbortSignal.timeout(60_000));
    const { files } = await unpackOutputs(archive.bytes, {
      destination,
      lastEntry: archive.lastEntry,
      place: (name) => name,
      limits: { maxBytes: 1e9, maxFiles: 1e5 },
      warn: () => {},
    });
    return { files, outcome: await archive.outcome };
  }

  it('brings an odd tree there and back', async () => {
    const tree = join(folder, 'odd');
    await mkdir(tree);
    await makeOddTree(tree);
    if ('able' in image.readOnlyFolders) await chmod(join(tree, 'read-only'), 0o555);
    await session().output('rm -rf /work/* /work/.[!.]*');
    await send(tree, 'work');
    expect(await session().output('./script.sh; ./link; cat empty/up; wc -c <sparse')).toBe(
      'it runs\nit runs\nonly mine20000000\n',
    );
    const { outcome } = await fetched(['/work'], join(folder, 'back'));
    expect(outcome).toMatchObject({ missing: [], failure: null });
    expect(await describeTree(join(folder, 'back', 'work'))).toEqual(await describeTree(tree));
  });

  it('makes shared steps executable, and files editable', async () => {
    const tree = join(folder, 'steps');
    await mkdir(tree);
    await writeFile(join(tree, 'hello.sh'), '#!/bin/sh\necho hello\n', { mode: 0o600 });
    await send(tree, 'steps');
    expect(await session().output('/steps/hello.sh; echo more >>/steps/hello.sh')).toBe('hello\n');
  });

  it('sends 3,000 files before the first step, in one pass', async () => {
    const tree = join(folder, 'many');
    for (let part = 0; part < 30; part++) {
      await mkdir(join(tree, `part-${part}`), { recursive: true });
      const names = Array.from({ length: 100 }, (_, i) => join(tree, `part-${part}`, `file-${i}`));
      await Promise.all(names.map((name) => writeFile(name, name)));
    }
    const began = performance.now();
    await send(tree, 'work');
    expect(await session().output('find /work/part-* -type f | wc -l; rm -r /work/part-*')).toMatch(
      /^ *3000\n$/,
    );
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('names what is missing and fetches the rest, also after a step that failed', async () => {
    const { verdict } = await session().run(
      'mkdir -p /outputs/r; echo report >/outputs/r/report.txt; exit 3',
    );
    expect(verdict).toMatchObject({ exitCode: 3 });
    const { outcome, files } = await fetched(
      ['/outputs', '/work/no such', '/steps/-x'],
      join(folder, 'some'),
    );
    expect(outcome).toMatchObject({ missing: ['/work/no such', '/steps/-x'], failure: null });
    expect(files).toBe(1);
    expect(await describeTree(join(folder, 'some', 'outputs'))).toHaveLength(2);
  });

  it('fetches nothing as an empty archive that is whole', async () => {
    const { outcome, files } = await fetched(['/work/nothing-here'], join(folder, 'none'));
    expect(outcome).toMatchObject({ missing: ['/work/nothing-here'], failure: null });
    expect(files).toBe(0);
  });

  it('fetches a file that somebody goes on writing to', async () => {
    const writer = '(while [ -e /tmp/go ]; do echo line >>/outputs/log; done) &';
    await session().output(`: >/tmp/go; head -c 3000000 /dev/zero >/outputs/log; ${writer} true`);
    const { outcome, files } = await fetched(['/outputs/log'], join(folder, 'growing'));
    await session().output('rm /tmp/go /outputs/log');
    expect(outcome.failure).toBeNull();
    expect(files).toBe(1);
  });

  it('says in tar’s own words why it cannot unpack, at once', async () => {
    await session().output('mkdir -p /work/in-the-way/full; : >/work/in-the-way/full/file');
    const tree = join(folder, 'refused');
    await mkdir(tree);
    await writeFile(join(tree, 'in-the-way'), 'x'.repeat(3_000_000));
    const began = performance.now();
    const error = await send(tree, 'work').then(
      () => new Error('it was unpacked'),
      (thrown: RunnerError) => thrown,
    );
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(error.message).toContain('in-the-way');
    expect(error).toHaveProperty('code', 'UploadFailed');
    await session().output('rm -rf /work/in-the-way');
  });

  it('does not take an archive for whole that came short', async () => {
    const whole: OutgoingArchive = packTrees([], () => {});
    const short: OutgoingArchive = {
      size: (last) => whole.size(last),
      open: async function* () {
        yield Buffer.alloc(1024); // an end of archive, and no last entry
      },
    };
    const sending = session().sandbox.send(short, quiet, AbortSignal.timeout(30_000));
    await expect(sending).rejects.toMatchObject({ name: 'RunnerError' });
  });
}
