import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseStepsTsv } from '../../src/workflow/steps-tsv.ts';
import { parseWorkflowYaml } from '../../src/workflow/workflow-yaml.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));

/** Runs an example's steps with the shell of this machine; the exit codes by name, and the outputs left. */
function run(file: string, checkout: string): { codes: Record<string, number | null>; outputs: string[] } {
  const bytes = readFileSync(join(examples, file));
  const workflow = file.endsWith('.tsv') ? parseStepsTsv(bytes, file) : parseWorkflowYaml(bytes, file);
  const folder = mkdtempSync(join(tmpdir(), 'knotless-example-'));
  try {
    const [work, outputs] = [join(folder, 'work'), join(folder, 'outputs')];
    cpSync(join(examples, checkout), work, { recursive: true });
    mkdirSync(outputs);
    const codes: Record<string, number | null> = {};
    for (const { name, command, environment } of workflow.steps) {
      const ours = {
        CI: 'true',
        KNOTLESS_RUN_NAME: 'example',
        KNOTLESS_STEP: name,
        KNOTLESS_STEPS: join(examples, 'shared-steps'),
        KNOTLESS_OUTPUTS: outputs,
      };
      const env = { PATH: process.env.PATH, ...ours, ...workflow.environment, ...environment };
      codes[name] = spawnSync('sh', ['-e', '-c', command], { cwd: work, env, stdio: 'ignore' }).status;
    }
    return { codes, outputs: readdirSync(outputs) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('steps.tsv', () => {
  expect(run('steps.tsv', '.')).toEqual({ codes: { look: 0, count: 0, report: 0 }, outputs: ['report.txt'] });
});

test('steps-with-shared.tsv', () => {
  expect(run('steps-with-shared.tsv', '.')).toEqual({
    codes: { check: 0, pack: 0 },
    outputs: ['examples.tar'],
  });
});

test('workflow.yml', () => {
  expect(run('workflow.yml', '.')).toEqual({
    codes: { prepare: 0, 'look for something better': 1, test: 0, report: 0 },
    outputs: ['greeting.txt'],
  });
});

test('the Node project', () => {
  expect(run('node-project/workflow.yml', 'node-project')).toEqual({
    codes: { versions: 0, build: 0, test: 0, 'try it': 0, package: 0, 'clean up': 0 },
    outputs: ['counts.tsv', 'word-count.tar.gz'],
  });
});
