import { listTree } from '../../archive/list-tree.ts';
import { type PackedTree, packTrees } from '../../archive/pack-trees.ts';
import { asRunnerError } from '../../base/errors.ts';
import type { OutgoingArchive } from '../../executor/executor.ts';
import { noteProgress } from '../journal/note-progress.ts';
import { Patience, settlingMs } from '../patience.ts';
import type { Reporter } from '../reporter.ts';
import type { RunRequest } from '../run-request.ts';
import type { LoadedRun, OpenRun, SteppedRun } from '../run-states.ts';
import { type Ending, endingOf } from '../status.ts';
import { skippedStep } from '../step-results.ts';
import { TransferProgress } from '../transfer-progress.ts';

/** Lists what is to be sent; null where nothing is. Rejects with BadInput naming what cannot be sent. */
export async function listUpload(
  request: RunRequest,
  signal: AbortSignal,
): Promise<readonly PackedTree[] | null> {
  const trees: PackedTree[] = [];
  if (request.checkout) {
    const { folder, files, exclude } = request.checkout;
    const listing = await listTree(folder, { files, exclude, signal });
    trees.push({ listing, target: 'work', executable: false });
  }
  if (request.sharedSteps !== undefined) {
    const listing = await listTree(request.sharedSteps, { files: 'all', exclude: [], signal });
    trees.push({ listing, target: 'steps', executable: true });
  }
  return trees.length > 0 ? trees : null;
}

export function packUpload(trees: readonly PackedTree[], reporter: Reporter): OutgoingArchive {
  const warn = (message: string): void => reporter.warn(message);
  trees.flatMap(({ listing }) => listing.warnings).forEach(warn);
  return packTrees(trees, warn);
}

/** Sends checkout and shared steps. Where that fails, no step is run. */
export async function upload(run: OpenRun): Promise<LoadedRun | SteppedRun> {
  const { context, sandbox } = run;
  const { request, reporter, phases, journal, halt } = context;
  if (journal.hasReached('loaded')) {
    return { state: 'loaded', context, sandbox };
  }
  phases.enter('upload');
  try {
    const archive = await run.archive;
    halt.signal.throwIfAborted();
    if (archive) {
      await send(run, archive);
    }
    halt.signal.throwIfAborted();
    await noteProgress(context, { state: 'loaded' });
    return { state: 'loaded', context, sandbox };
  } catch (error) {
    const ended: Ending = halt.ending ?? endingOf(asRunnerError(error));
    const steps = request.workflow.steps.map((step) => skippedStep(step, reporter));
    return { state: 'stepped', context, sandbox, steps, ended };
  }
}

async function send({ context, sandbox }: OpenRun, archive: OutgoingArchive): Promise<void> {
  const { request, reporter, halt } = context;
  reporter.phase('upload');
  using patience = new Patience(request.clock, {
    name: "the upload's end",
    from: halt.signal,
    ms: settlingMs,
    atOnce: request.cancel.hurried,
  });
  const progress = new TransferProgress(request.clock, (bytes, total) =>
    reporter.transfer('upload', bytes, total),
  );
  try {
    await patience.wait(sandbox.send(archive, progress, halt.signal));
  } finally {
    progress.finish();
  }
}
