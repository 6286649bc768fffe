import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';

/** Writes a kubeconfig that only its owner can read. */
export async function writeKubeconfig(
  path: string,
  server: string,
  authority: string,
  token: string,
): Promise<void> {
  const name = 'embedded';
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
}
