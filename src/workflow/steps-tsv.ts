import { badInput } from '../base/errors.ts';
import { inputError } from './input-error.ts';
import { sourceText } from './source-text.ts';
import { commandProblem, stepNameProblem } from './text-rules.ts';
import type { Step, Workflow } from './workflow.ts';

/**
 * Reads a steps.tsv: a name, a tab and a script a line; blank lines and those that begin with `#` are skipped.
 * Throws a BadInput RunnerError that names file, line and reason.
 */
export function parseStepsTsv(bytes: Uint8Array, file: string): Workflow {
  const steps: Step[] = [];
  const lines = new Map<string, number>();
  for (const [index, whole] of sourceText(bytes, file).split('\n').entries()) {
    const line = whole.replace(/\r$/, '');
    if (line.trim() === '' || line.startsWith('#')) continue;
    const { name, command } = splitLine(line, file, index + 1);
    const before = lines.get(name);
    if (before !== undefined) {
      const reason = `the name ${JSON.stringify(name)} stands in line ${before} already; give each step its own`;
      throw inputError(file, { line: index + 1 }, reason);
    }
    lines.set(name, index + 1);
    steps.push(plainStep(name, command));
  }
  if (steps.length === 0)
    throw badInput(`${file}: there are no steps in it; write NAME, a tab and a script on a line`);
  return {
    image: undefined,
    environment: {},
    timeoutMs: undefined,
    resources: { cpu: undefined, memory: undefined },
    steps,
  };
}

function splitLine(line: string, file: string, number: number): { name: string; command: string } {
  const tab = line.indexOf('\t');
  const problem = lineProblem(line, tab);
  if (problem !== undefined) throw inputError(file, { line: number }, problem);
  return { name: line.slice(0, tab), command: line.slice(tab + 1) };
}

function lineProblem(line: string, tab: number): string | undefined {
  // In a file with the line ends of old Macs all steps would be one line, of which only a part would run.
  if (line.includes('\r')) return 'a carriage return stands within the line; end lines with LF or CRLF';
  if (tab === -1) return 'there is no tab in the line; write NAME, a tab and the script';
  return stepNameProblem(line.slice(0, tab)) ?? commandProblem(line.slice(tab + 1));
}

const plainStep = (name: string, command: string): Step => ({
  name,
  command,
  environment: {},
  secrets: 'all',
  timeoutMs: undefined,
  continueOnError: false,
  always: false,
});
