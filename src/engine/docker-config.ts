import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf } from '../base/errors.ts';
import { isMissing } from '../base/system-error.ts';

const entrySchema = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});

const configSchema = z.object({
  currentContext: z.string().optional(),
  auths: z.record(z.string(), entrySchema).optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});

/** What of the docker CLI's configuration says which engine, and how to sign in to registries. */
export type DockerConfig = z.output<typeof configSchema>;
export type RegistryEntry = z.output<typeof entrySchema>;

/** The folder of the docker CLI's configuration. */
export const dockerFolder = (
  environment: Readonly<Partial<Record<string, string>>>,
  homeFolder: string,
): string => environment.DOCKER_CONFIG || join(homeFolder, '.docker');

/** Its `config.json`; an empty one where there is none. Throws BadInput that holds nothing of its content. */
export async function readDockerConfig(folder: string): Promise<DockerConfig> {
  const file = join(folder, 'config.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return {};
    throw badInput(`the docker configuration ${file} cannot be read: ${messageOf(error)}`, error);
  }
  const config = configSchema.safeParse(jsonOf(text, file));
  if (config.success) return config.data;
  const where = config.error.issues[0]?.path[0];
  throw badInput(`the docker configuration ${file} has a wrong ${String(where ?? 'form')}`);
}

/** A parser's message quotes what it read, which may be a password. */
function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badInput(`the docker configuration ${file} is no JSON`);
  }
}
