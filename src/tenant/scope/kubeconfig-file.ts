import { readFile, rm } from 'node:fs/promises';
import { badInput, messageOf } from '../../base/errors.ts';
import { isMissing } from '../../base/system-error.ts';
import type { Account } from './account-objects.ts';
import { isKubeconfigOf } from './scoped-kubeconfig.ts';

/** Rejects with BadInput where a file is at `path` that holds anything but a kubeconfig of this account. */
export async function checkReplaceable(path: string, account: Account): Promise<void> {
  const text = await readOrNull(path);
  if (text === null || text.trim() === '' || isKubeconfigOf(text, account)) return;
  throw badInput(
    `${path} is there already, and is no kubeconfig of the ServiceAccount ${account.namespace}/${account.name}; it is left alone: name another file with --output, or move it away`,
  );
}

/** Removes the kubeconfig of an account that is no more, and nothing else. Whether there was one. */
export async function removeKubeconfig(path: string, account: Account): Promise<boolean> {
  const text = await readOrNull(path);
  if (text === null || !isKubeconfigOf(text, account)) return false;
  await rm(path, { force: true });
  return true;
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw badInput(`${path} cannot be read: ${messageOf(error)}; name another file with --output`, error);
  }
}
