import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { eventSchema } from '../src/run/event-schema.ts';
import { resultSchema } from '../src/run/result-schema.ts';
import { profileSchema } from '../src/tenant/profile/profile-schema.ts';
import { workflowSchema } from '../src/workflow/workflow-schema.ts';

/** Draft 7 is what editors know best. They have no `$id`: the files travel with the package, not at an address. */
const target = 'draft-7';

/** By path from the repository's root. */
export const schemaFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['schema/workflow.schema.json', text(z.toJSONSchema(workflowSchema, { target, io: 'input' }))],
    ['schema/result.schema.json', text(z.toJSONSchema(resultSchema, { target }))],
    ['schema/events.schema.json', text(z.toJSONSchema(eventSchema, { target }))],
    ['schema/gateway-profile.schema.json', text(z.toJSONSchema(profileSchema, { target, io: 'input' }))],
  ]);

const text = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;

/** The files below `root` that are missing or differ. */
export async function staleSchemas(root: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, content] of schemaFiles()) {
    const there = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (there !== content) stale.push(path);
  }
  return stale;
}
