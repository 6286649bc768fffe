import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { Venue } from './venue.ts';

/** A run whose steps are somebody other than root. */
export function userContract(venue: Venue): void {
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  itIfAble(venue.can.git, 'lets git work in the checkout of an ordinary user', async (image) => {
    const folder = await temporaryFolder();
    onTestFinished(() => removeFolder(folder));
    const git = (...argv: readonly string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...argv], {
        cwd: folder,
      });
    await git('init', '-q');
    await writeFile(join(folder, 'file'), 'x');
    await git('add', 'file');
    await git('commit', '-qm', 'first');
    const executor = venue.executor({ user: { uid: 10_001, gid: undefined } });
    const sandbox = await executor.open(openRequest({ image }), new Recorder(), soon());
    onTestFinished(async () => {
      expect(await sandbox.close(soon())).toMatchObject({ deleted: true, leftover: null });
    });
    const session = new Session(sandbox);
    const listing = await listTree(folder, { files: 'all', exclude: [] });
    const archive = packTrees([{ listing, target: 'work', executable: false }], () => {});
    await sandbox.send(archive, { progress: () => {} }, soon());
    expect(await session.output('git status --short; git log --format=%s; echo more >>file')).toBe('first\n');
    expect(await session.output('[ "$(id -u)" != 10001 ] || : >"$HOME/.probe"')).toBe('');
  });
}
