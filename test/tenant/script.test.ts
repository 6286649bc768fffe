import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildCommand } from '../cli/built-command.ts';
import { readText, stage } from './support/stage.ts';

const source = fileURLToPath(new URL('../../scripts/tenant-kubeconfig.sh', import.meta.url));
const kubeconfig = `apiVersion: v1
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: made-up-admin-token}}]
`;

test('the script makes the files of the seed, and with DELETE=1 removes them; each twice', async () => {
  await using built = await buildCommand();
  const scripts = resolve(built.main, '../../../scripts'); // it starts the command that was built beside it
  await mkdir(scripts);
  const script = join(scripts, 'tenant-kubeconfig.sh');
  await copyFile(source, script);
  await using at = await stage({ gateway: { kubeconfig: () => kubeconfig } });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: at.folder,
    KNOTLESS_K8S_CREDENTIALS: await at.write('account', at.credentialLines),
    KNOTLESS_K8S_GATEWAY: at.gateway.origin,
  };
  const run = (more: Readonly<Record<string, string>> = {}) =>
    promisify(execFile)(script, [], { env: { ...env, ...more } });
  const path = join(at.folder, '.tmp/knotless-runner-k8s/tenant/knotless-poc.kubeconfig.yaml');
  const made = [await run(), await run()];
  for (const { stdout } of made) expect(stdout).toBe(`${path}\n`);
  expect(await readText(path)).toBe(kubeconfig);
  const gone = [await run({ DELETE: '1' }), await run({ DELETE: '1' })];
  for (const { stdout } of gone) expect(stdout).toContain('the cluster knotless-poc is gone');
  await expect(readText(path)).rejects.toThrow('ENOENT');
  expect(at.gateway.clusters.size).toBe(0);
  const all = [...made, ...gone].map(({ stdout, stderr }) => stdout + stderr).join('');
  for (const secret of [
    at.account.password,
    at.account.handle,
    'made-up-admin-token',
    ...at.gateway.sessions,
  ]) {
    expect(all).not.toContain(secret);
  }
});
