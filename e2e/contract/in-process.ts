import { runCli } from '../../src/cli/application.ts';
import { type TestContext, testContext } from '../../test/cli/test-context.ts';
import type { Cluster } from './cluster.ts';
import type { Transport } from './venue.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started extends Omit<TestContext, 'context'> {
  readonly ended: Promise<Ended>;
}

/** A command in this very process, for a user `ada` whose home and folder are `folder`. */
export function startInProcess(
  { kubeconfig: own }: Cluster,
  transport: Transport,
  folder: string,
  words: readonly string[],
  { kubeconfig = own, env = {} }: { kubeconfig?: string; env?: Readonly<Record<string, string>> } = {},
): Started {
  return startWords(folder, [...words, '--kubeconfig', kubeconfig, '--transport', transport], env);
}

/** The same, wherever the words say. */
export function startWords(
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Started {
  const { context, ...seen } = testContext(
    { PATH: process.env.PATH ?? '', HOME: folder, USER: 'ada', ...env },
    folder,
  );
  const ended = runCli(words, context).then(() => ({
    code: context.process.exitCode ?? 0,
    stdout: seen.stdout(),
    stderr: seen.stderr(),
  }));
  return { ...seen, ended };
}
