import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput, messageOf } from '../base/errors.ts';
import { isMissing } from '../base/system-error.ts';
import type { EngineTls } from './engine-address.ts';

/** `ca.pem`, `cert.pem` and `key.pem` of a folder, as far as they are there. Throws BadInput. */
export async function readEngineTls(folder: string): Promise<EngineTls> {
  const [ca, certificate, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readPem(join(folder, name))),
  );
  if (certificate !== undefined && key === undefined)
    throw badInput(`${folder} has a cert.pem without its key.pem`);
  if (key !== undefined && certificate === undefined)
    throw badInput(`${folder} has a key.pem without its cert.pem`);
  return { ca, certificate, key };
}

async function readPem(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw badInput(`${file} cannot be read: ${messageOf(error)}`, error);
  }
  throw badInput(`${file} is not in PEM`);
}
