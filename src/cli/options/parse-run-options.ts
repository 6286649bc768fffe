import { resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import type { CheckoutRequest, OutputsRequest } from '../../run/run-request.ts';
import { checkImageReference } from '../../workflow/image-reference.ts';
import type { CliContext } from '../cli-context.ts';
import { podFlags } from '../commands/pod-flags.ts';
import type { runFlags } from '../commands/run-flags.ts';
import { parseClusterOptions } from './cluster-options.ts';
import { parseEngineOptions } from './engine-options.ts';
import { checkInputFolder, readInputBytes } from './input-files.ts';
import { parseLimits } from './limit-options.ts';
import { parseOutputTargets } from './output-options.ts';
import { parsePodOptions } from './pod-options.ts';
import { parsePodPath } from './pod-values.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import type { ClusterOptions, RecipeFile, RunOptions, Verbosity } from './run-options.ts';
import { checked, oneOf, parseCount, parseSize, parseText } from './scalars.ts';
import { parseVariables } from './variable-options.ts';

/** Reads every option of `run` and the small files they name. Throws `BadInput`; makes nothing. */
export async function parseRunOptions(reader: RunOptionReader, context: CliContext): Promise<RunOptions> {
  const { cwd } = context;
  const verbosity = parseVerbosity(reader);
  const name = reader.parsed('name', parseText);
  if (name === undefined) throw badInput('--name is missing; every run has a name, such as --name build');
  const engine = parseEngineOptions(reader);
  const { embedded, ...cluster } =
    engine.executor === 'docker' ? noCluster : await parseClusterOptions(reader, cwd);
  const keep = reader.enabled('keep');
  if (embedded && keep) {
    throw badInput(
      `--keep and --embedded exclude each other: the embedded cluster ends with its run; use the command "cluster" to keep one up`,
    );
  }
  const resume = reader.enabled('resume');
  if (embedded && resume) {
    throw badInput('--resume and --embedded exclude each other: the embedded cluster ended with its run');
  }
  return {
    ...engine,
    name,
    runner: reader.parsed('runner', parseText),
    recipe: await parseRecipe(reader, cwd),
    image:
      reader.origin('image') === undefined ? undefined : reader.parsed('image', checked(checkImageReference)),
    checkout: await parseCheckout(reader, cwd),
    sharedSteps: await reader.parsedLater('steps-dir', (text) => checkInputFolder(cwd, text)),
    outputs: parseOutputs(reader, cwd),
    ...(await parseOutputTargets(reader, cwd)),
    ...(await parseVariables(reader, cwd, context.process.env)),
    limits: parseLimits(reader),
    pod: await parsePodOptions(reader.part(podFlags), cwd),
    cluster: { embedded, ...cluster },
    keep,
    resume,
    dryRun: reader.enabled('dry-run'),
    compress: reader.parsed('compress', oneOf('auto', 'gzip', 'none')) ?? 'auto',
    verbosity,
  };
}

/** What a variable may say of a cluster is of no meaning here. */
const noCluster: ClusterOptions = {
  embedded: false,
  kubeconfig: undefined,
  context: undefined,
  namespace: undefined,
  transport: 'api',
  kubectl: 'kubectl',
};

function parseVerbosity(reader: RunOptionReader): Verbosity {
  const [quiet, verbose] = [reader.enabled('quiet'), reader.enabled('verbose')];
  if (quiet && verbose) return reader.prevails('quiet', 'verbose') ? 'quiet' : 'verbose';
  if (quiet) return 'quiet';
  return verbose ? 'verbose' : 'normal';
}

async function parseRecipe(reader: RunOptionReader, cwd: string): Promise<RecipeFile> {
  const mostBytes = 16 * 1024 * 1024;
  const read =
    (kind: RecipeFile['kind']) =>
    async (name: string): Promise<RecipeFile> => ({
      kind,
      name,
      content: await readInputBytes(cwd, name, mostBytes),
    });
  const both = reader.origin('steps-file') !== undefined && reader.origin('workflow') !== undefined;
  const recipe =
    both && reader.prevails('workflow', 'steps-file')
      ? await reader.parsedLater('workflow', read('workflow'))
      : ((await reader.parsedLater('steps-file', read('steps'))) ??
        (await reader.parsedLater('workflow', read('workflow'))));
  if (recipe !== undefined) return recipe;
  throw badInput('nothing to run; name the steps with --steps-file FILE or --workflow FILE');
}

async function parseCheckout(reader: RunOptionReader, cwd: string): Promise<CheckoutRequest | undefined> {
  const folder = await reader.parsedLater('workdir', (text) => checkInputFolder(cwd, text));
  const files = reader.parsed('files', oneOf('all', 'git')) ?? 'all';
  const exclude = reader.parsedList('exclude', parseText);
  if (folder !== undefined) return { folder, files, exclude };
  refuseAlone(reader, ['files', 'exclude'], 'workdir');
  return undefined;
}

function parseOutputs(reader: RunOptionReader, cwd: string): OutputsRequest | undefined {
  const folder = reader.parsed('outputs', parseText);
  const collect = reader.parsedList('collect', parsePodPath);
  const maxBytes = reader.parsed('outputs-max-size', parseSize) ?? 0;
  const maxFiles = reader.parsed('outputs-max-files', parseCount) ?? 0;
  if (folder !== undefined) return { folder: resolve(cwd, folder), collect, maxBytes, maxFiles };
  refuseAlone(reader, ['collect', 'outputs-max-size', 'outputs-max-files'], 'outputs');
  return undefined;
}

/** A flag that would have no effect is a mistake; a variable may be set for other runs. */
function refuseAlone(
  reader: RunOptionReader,
  flags: readonly (keyof typeof runFlags)[],
  needed: keyof typeof runFlags,
): void {
  for (const flag of flags) {
    if (reader.origin(flag) === 'flag') throw badInput(`--${flag} has no effect without --${needed}; add it`);
  }
}
