import { join } from 'node:path';
import { z } from 'zod';
import { badInput } from '../../base/errors.ts';
import type { Session } from '../sign-in/session.ts';
import { readPrivateFile } from './read-private-file.ts';
import { keepPrivately } from './state-folder.ts';

const sessionSchema = z.object({
  version: z.literal(1),
  gateway: z.string(),
  cookie: z.object({ name: z.string(), value: z.string() }),
  did: z.string(),
  expiresAt: z.iso.datetime().nullable(),
});

export const sessionPath = (stateFolder: string): string => join(stateFolder, 'session.json');

/** The session that was kept, for whatever gateway; null where there is none. */
export async function readSession(stateFolder: string): Promise<Session | null> {
  const path = sessionPath(stateFolder);
  const text = await readPrivateFile(path, 'the session');
  if (text === null) return null;
  try {
    const { gateway, cookie, did, expiresAt } = sessionSchema.parse(JSON.parse(text));
    return { gateway, cookie, did, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
  } catch {
    // without the cause, which may hold the text
    throw badInput(`the session ${path} is damaged, or of another version; remove it and sign in again`);
  }
}

export async function writeSession(stateFolder: string, session: Session): Promise<void> {
  const { expiresAt, ...others } = session;
  const record: z.output<typeof sessionSchema> = {
    version: 1,
    ...others,
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  await keepPrivately(sessionPath(stateFolder), `${JSON.stringify(record, null, 2)}\n`);
}
