import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { type Ability, able, unable } from '../contract/venue.ts';
import { kitImages, kitImagesFolder } from './kit-images.ts';

/** Whether an engine by this program can be started here. */
export async function abilityToRun(program: 'dockerd' | 'podman'): Promise<Ability> {
  if (userInfo().uid !== 0) return unable(`${program} is started by root alone`);
  const folder = kitImagesFolder(process.env);
  if ((await kitImages(folder)).length === 0)
    return unable(`there are no images in ${folder}; e2e/cluster/images.sh makes them`);
  try {
    await promisify(execFile)(program, ['--version']);
    return able;
  } catch {
    return unable(`there is no ${program} on PATH`);
  }
}
