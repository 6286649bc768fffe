import { join } from 'node:path';
import { z } from 'zod';
import { parsedJson } from '../web/web-refusal.ts';
import { removeFile } from './cluster-files.ts';
import { readPrivateFile } from './read-private-file.ts';
import { keepPrivately } from './state-folder.ts';

const markSchema = z.object({ version: z.literal(1), gateway: z.string(), deletedAt: z.iso.datetime() });

const markPath = (stateFolder: string, name: string): string => join(stateFolder, `${name}.deleted.json`);

/** Remembers, without a credential, that a cluster is gone, so that its delete can be repeated after the sign-out. */
export async function markDeleted(
  stateFolder: string,
  name: string,
  gateway: string,
  at: Date,
): Promise<void> {
  const mark: z.output<typeof markSchema> = { version: 1, gateway, deletedAt: at.toISOString() };
  await keepPrivately(markPath(stateFolder, name), `${JSON.stringify(mark)}\n`);
}

/** When the cluster was deleted from here; null where that is not known. */
export async function deletedAt(stateFolder: string, name: string, gateway: string): Promise<string | null> {
  const text = await readPrivateFile(markPath(stateFolder, name), 'the mark of a deleted cluster');
  const mark = markSchema.safeParse(text === null ? undefined : parsedJson(text));
  return mark.success && mark.data.gateway === gateway ? mark.data.deletedAt : null;
}

export const unmarkDeleted = (stateFolder: string, name: string): Promise<void> =>
  removeFile(markPath(stateFolder, name));
