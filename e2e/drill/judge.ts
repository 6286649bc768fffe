import type { ObservedRun } from './observed-run.ts';

/** What is wrong with a run; all empty where all is well. */
export interface Findings {
  readonly falseVerdicts: readonly string[];
  readonly stepsRunTwice: readonly string[];
  readonly lostBytes: number;
  readonly leftovers: readonly string[];
}

/** Holds a run against its plan. Pure. */
export function judge(run: ObservedRun): Findings {
  return {
    falseVerdicts: falseVerdicts(run),
    stepsRunTwice: stepsRunTwice(run),
    lostBytes: lostBytes(run),
    leftovers: run.leftovers,
  };
}

export const isWell = ({ falseVerdicts, stepsRunTwice, lostBytes, leftovers }: Findings): boolean =>
  falseVerdicts.length === 0 && stepsRunTwice.length === 0 && lostBytes === 0 && leftovers.length === 0;

function falseVerdicts({ plan, result, isStruck, struckInTime, hung }: ObservedRun): string[] {
  const found: string[] = [];
  const told = `${result.status} (${result.reason?.code ?? 'no reason'}: ${result.reason?.message ?? ''})`;
  if (hung) found.push(`the run hung and was cancelled: ${told}`);
  if (isStruck) {
    // We saw the blow before we heard of the last step's end; that may have come first all the same, and stands.
    const failed =
      result.status === 'failed' && result.steps.at(-1)?.exitCode === plan.steps.at(-1)?.exitCode;
    if (struckInTime && result.status !== 'error' && !failed)
      found.push(`${told}, though its place was taken away`);
  } else {
    const due = plan.steps.at(-1)?.exitCode === 0 ? 'success' : 'failed';
    if (result.status !== due) found.push(`${told}, but ${due} was due`);
    if (!result.outputs?.complete) found.push('the outputs did not come whole');
  }
  for (const [index, { step, exitCode }] of plan.steps.entries()) {
    const seen = result.steps[index];
    const isJudged = seen?.status === 'success' || seen?.status === 'failed';
    if (isStruck && !isJudged) continue;
    const due = exitCode === 0 ? 'success' : 'failed';
    if (seen?.status !== due || seen.exitCode !== exitCode) {
      found.push(`${step.name}: ${seen?.status} with ${seen?.exitCode}, but ${due} with ${exitCode} was due`);
    }
  }
  return found;
}

function stepsRunTwice({ ran }: ObservedRun): string[] {
  return (ran ?? []).filter((name, at, all) => all.indexOf(name) !== at);
}

/** Bytes that are missing, wrong or too many. What a step that never ended has printed must be a beginning. */
function lostBytes({ plan, result, logs }: ObservedRun): number {
  let lost = 0;
  for (const [index, { output }] of plan.steps.entries()) {
    const due = Buffer.from(output);
    const log = logs[index] ?? Buffer.alloc(0);
    const status = result.steps[index]?.status;
    const isWhole = status === 'success' || status === 'failed';
    const same = commonLength(due, log);
    lost += log.length - same + (isWhole ? due.length - same : 0);
  }
  return lost;
}

function commonLength(one: Buffer, other: Buffer): number {
  const shorter = Math.min(one.length, other.length);
  if (one.subarray(0, shorter).equals(other.subarray(0, shorter))) return shorter;
  let at = 0;
  while (one[at] === other[at]) at++;
  return at;
}
