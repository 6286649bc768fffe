import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Credentials {
  readonly handle: string;
  readonly password: string;
  /** The account's server, where it cannot be looked up by the handle: `.test` is in no DNS. */
  readonly pds?: string;
}

/** Writes a credential file as people have them; its path. */
export async function credentialFile(
  folder: string,
  name: string,
  { handle, password, pds }: Credentials,
): Promise<string> {
  const path = join(folder, name);
  const lines = [
    `export ATP_HANDLE="${handle}"`,
    `export ATP_PASSWORD="${password}"`,
    ...(pds === undefined ? [] : [`export ATP_PDS_URL="${pds}"`]),
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}
