import type { KubeApi } from '../../../kube/kube-api.ts';
import { paths } from '../object-paths.ts';
import { anything, type JobObject } from '../objects.ts';
import { deleteOptions, isGone } from '../remove-run.ts';

/** Deletes this Job with its pod, and no other of its name; one that is gone already is no error. */
export async function deleteThisJob(
  api: KubeApi,
  { metadata }: JobObject,
  signal: AbortSignal,
): Promise<void> {
  const body = deleteOptions(metadata.uid);
  await unlessGone(() =>
    api.request({ method: 'DELETE', path: paths.job(api.namespace, metadata.name), body, signal }, anything),
  );
}

/** Lets an object be away, or be another of the same name. */
export async function unlessGone(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
