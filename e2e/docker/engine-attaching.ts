import { expect, it } from 'vitest';
import { objectName } from '../../src/executor/object-name.ts';
import { attachingContract } from '../contract/attaching.ts';
import { eventually } from '../contract/eventually.ts';
import { removeFolder, temporaryFolder } from '../contract/folders.ts';
import { startWords } from '../contract/in-process.ts';
import { secret } from '../contract/run-beside.ts';
import type { Venue } from '../contract/venue.ts';
import type { Engine } from './engine.ts';

/** `attach --executor docker`. */
export function engineAttachingContract(venue: Venue, { url, view }: Engine): void {
  const where = ['--executor', 'docker', '--engine', url];
  attachingContract({
    arguments: venue.arguments,
    attach: async (folder, words) => startWords(folder, ['attach', ...words, ...where], { TOKEN: secret }),
    isThere: (name) =>
      eventually(`the container of ${name}`, async () =>
        (await view.container(objectName(name))) ? true : undefined,
      ),
    over: 'its container was removed',
    where: `on the engine ${url}`,
  });

  it('says of a run that waits for its image that it has no container yet, and refuses what a cluster has', async () => {
    const folder = await temporaryFolder();
    const absent = await startWords(folder, ['attach', 'pulling', ...where]).ended;
    expect(absent).toMatchObject({ code: 2, stdout: '' });
    expect(absent.stderr).toContain('one that waits for its image has no container yet');
    const wrong = await startWords(folder, ['attach', 'x', ...where, '--namespace', 'ci']).ended;
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--namespace') });
    await removeFolder(folder);
  });
}
