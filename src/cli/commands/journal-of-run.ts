import process from 'node:process';
import { fileJournal } from '../../run/journal/file-journal.ts';
import type { Journal } from '../../run/journal/journal.ts';
import { markOfProcess } from '../../run/journal/journal-lock.ts';
import type { CliContext } from '../cli-context.ts';
import { journalFolder } from '../journal-folder.ts';
import type { OpenExecutor } from './executor-request.ts';

/** The journal of a run by its name and its cluster; none where the cluster ends with the run. */
export async function journalOfRun(
  name: string,
  { cluster }: OpenExecutor,
  context: CliContext,
): Promise<Journal | undefined> {
  if (!cluster) return undefined;
  const holder = await markOfProcess(process.pid);
  return fileJournal({
    folder: journalFolder(context),
    cluster: cluster.name,
    namespace: cluster.namespace,
    name,
    holder,
  });
}
