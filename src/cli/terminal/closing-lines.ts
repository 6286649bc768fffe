import type { Colors } from 'picocolors/types.js';
import type { RunResult, StepResult } from '../../run/result-schema.ts';
import { safeLine } from './safe-text.ts';
import { padText, textWidth } from './text-width.ts';
import { formatBytes, formatDuration } from './units.ts';

/** Where a run's files went, as the person wrote them; undefined for what was not asked for. */
export interface OutputPlaces {
  readonly outputs: string | undefined;
  readonly log: string | undefined;
  readonly result: string | undefined;
}

/** The end of a run: a table of its steps, what it came to and why, and where to look. */
export function closingLines(result: RunResult, places: OutputPlaces, colours: Colors): readonly string[] {
  return [
    '',
    ...stepTable(result.steps, colours),
    ...verdictLines(result, colours),
    ...placeLines(result, places, colours),
  ];
}

function stepTable(steps: readonly StepResult[], colours: Colors): readonly string[] {
  const rows = steps.map((step) => ({
    step,
    name: safeLine(step.name),
    outcome: outcomeOf(step),
    time: step.durationMs === null ? '' : formatDuration(step.durationMs),
  }));
  const nameWidth = Math.max(0, ...rows.map(({ name }) => textWidth(name)));
  const outcomeWidth = Math.max(0, ...rows.map(({ outcome }) => outcome.length));
  const timeWidth = Math.max(0, ...rows.map(({ time }) => time.length));
  return rows.map(({ step, name, outcome, time }) =>
    `  ${markOf(step.status, colours)} ${padText(name, nameWidth)}  ${outcome.padEnd(outcomeWidth)}  ${time.padStart(timeWidth)}`.trimEnd(),
  );
}

function outcomeOf(step: StepResult): string {
  const tolerated = step.continueOnError && step.status !== 'success' && step.status !== 'skipped';
  const code = step.reason === null || step.reason.code === 'StepFailed' ? '' : `, ${step.reason.code}`;
  const exit = step.exitCode === null || step.exitCode === 0 ? '' : `, exit code ${step.exitCode}`;
  return `${step.status}${exit}${code}${tolerated ? ', run went on' : ''}`;
}

export function markOf(status: StepResult['status'], colours: Colors): string {
  switch (status) {
    case 'success':
      return colours.green('✓');
    case 'skipped':
      return colours.dim('-');
    case 'cancelled':
      return colours.yellow('✗');
    default:
      return colours.red('✗');
  }
}

function verdictLines(result: RunResult, colours: Colors): readonly string[] {
  const paint = result.status === 'success' ? colours.green : colours.red;
  const time = formatDuration(result.durationMs);
  const reason =
    result.reason === null ? [] : [`  ${result.reason.code}: ${safeLine(result.reason.message)}`];
  return [
    `${colours.bold(paint(result.status))} in ${time} ${colours.dim(`(${phaseTimes(result)})`)}`,
    ...reason,
  ];
}

function phaseTimes({ timings }: RunResult): string {
  return [
    `wait ${formatDuration(timings.waitMs)}`,
    `upload ${formatDuration(timings.uploadMs)}`,
    `steps ${formatDuration(timings.stepsMs)}`,
    `download ${formatDuration(timings.downloadMs)}`,
    `cleanup ${formatDuration(timings.cleanupMs)}`,
  ].join(', ');
}

function placeLines(result: RunResult, places: OutputPlaces, colours: Colors): readonly string[] {
  const rows: (readonly [label: string, text: string])[] = [];
  if (places.outputs !== undefined && result.outputs !== null) {
    const { files, bytes, complete } = result.outputs;
    const count = `${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`;
    rows.push(['outputs', `${places.outputs} (${count}${complete ? '' : ', incomplete'})`]);
  }
  if (places.log !== undefined) rows.push(['log', places.log]);
  if (places.result !== undefined) rows.push(['result', places.result]);
  if (result.job?.kept) rows.push(['kept', `Job ${result.job.namespace}/${result.job.name}`]);
  if (result.container?.kept) rows.push(['kept', `container ${result.container.name}`]);
  return rows.map(([label, text]) => `  ${colours.dim(label.padEnd(7))}  ${safeLine(text)}`);
}
