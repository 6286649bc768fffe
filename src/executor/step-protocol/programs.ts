import { readFileSync } from 'node:fs';

/** The programs that one exec each runs in the pod; their texts are the `.sh` files beside this one. */
export type Program = 'control' | 'step' | 'supervise' | 'receive' | 'send' | 'watch';

const installed: readonly Program[] = ['step', 'supervise', 'receive', 'send', 'watch', 'control'];

/** What an exec runs. Short and constant, since it stands in a URL, which gateways cut and audit logs keep. */
export const execOf = (program: Program): readonly string[] => ['sh', `/.knotless/bin/${program}`];

/** What the exec of `step` is for, as a dry run says it. */
export const stepsPurpose = (count: number): string =>
  count === 1 ? 'run the step' : `run the ${count} steps, one after another`;

/**
 * The command of the pod's container: writes the programs into the in-memory volume and stays as process 1.
 * With `orphanMs` 0 it outlives its runner for as long as the cluster lets it.
 */
export function bootCommand(orphanMs: number): readonly string[] {
  return ['sh', '-c', bootScript(), 'knotless', String(Math.ceil(orphanMs / 1000))];
}

/** `control` is written last: once it is there, all are. */
export function bootScript(): string {
  const files = installed.map(
    (name) => `cat >"$bin/${name}" <<'KNOTLESS'\n${withoutComments(textOf(name))}KNOTLESS\n`,
  );
  return [withoutComments(textOf('prepare')), ...files, withoutComments(textOf('keep-alive'))].join('');
}

const textOf = (name: Program | 'prepare' | 'keep-alive'): string =>
  readFileSync(new URL(`./${name}.sh`, import.meta.url), 'utf8');

/** The manifest is read by people too; the comments stay in the source. */
const withoutComments = (text: string): string => text.replace(/^\s*#.*\n/gm, '');
