import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput } from '../base/errors.ts';
import { type EngineAddress, parseEngineUrl } from './engine-address.ts';
import { readEngineTls } from './engine-tls.ts';

const metaSchema = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string().optional(), SkipTLSVerify: z.boolean().optional() }),
  }),
});

/** The engine of a context that `docker context create` made; undefined where it names none. Throws BadInput. */
export async function readDockerContext(folder: string, name: string): Promise<EngineAddress | undefined> {
  const id = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', id, 'meta.json');
  const what = `the docker context ${JSON.stringify(name)}`;
  const { Host: host, SkipTLSVerify: skips } = await readMeta(file, what);
  if (skips) {
    throw badInput(
      `${what} does not check the engine's certificate, which this runner always does; give it its CA`,
    );
  }
  if (!host) return undefined;
  const tls = await readEngineTls(join(folder, 'contexts', 'tls', id, 'docker'));
  const hasTls = tls.ca !== undefined || tls.certificate !== undefined;
  return parseEngineUrl(host, hasTls ? tls : undefined);
}

async function readMeta(
  file: string,
  what: string,
): Promise<z.output<typeof metaSchema>['Endpoints']['docker']> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw badInput(`${what} is not there (${file}); see "docker context ls"`, error);
  }
  try {
    return metaSchema.parse(JSON.parse(text)).Endpoints.docker;
  } catch (error) {
    throw badInput(`${what} cannot be understood (${file})`, error);
  }
}
