import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, runCommand } from './command-run.ts';
import { eventually } from './eventually.ts';

/** Whose value the runs here have as a secret. */
export const secret = 'tok-5f0e9a7c31 with a space';

/** A run of these steps in a process of its own; `meanwhile` is done beside it. */
export async function runBeside(
  here: string,
  steps: readonly string[],
  args: readonly string[],
  meanwhile: (log: string, child: ChildProcess) => Promise<void>,
): Promise<Ended> {
  const file = join(here, 'steps.tsv');
  await mkdir(here, { recursive: true });
  await writeFile(file, `${steps.join('\n')}\n`);
  return runCommand(here, {
    outputs: false,
    environment: { TOKEN: secret },
    args: ['--steps-file', file, ...args],
    meanwhile: async (child, log) => {
      try {
        await meanwhile(log, child);
      } catch (error) {
        child.kill('SIGTERM');
        throw error;
      }
    },
  });
}

export const holds = (what: string, text: () => string | Promise<string>): Promise<true> =>
  eventually(what, async () => ((await text()).includes(what) ? true : undefined));

export const logOf = (file: string) => (): Promise<string> => readFile(file, 'utf8').catch(() => '');
