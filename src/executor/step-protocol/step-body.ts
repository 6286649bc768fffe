import type { StepRequest } from '../executor.ts';

/**
 * What a step's exec gets on its stdin: a shell program that sets the step's variables, its name and the
 * text of its script, and whose last line proves that it came whole. Values are quoted, so any text but NUL is exact.
 */
export function stepBody(step: StepRequest, runId: string): Buffer {
  const variables = {
    ...gitTrustsTheCheckout(step.environment),
    ...step.environment,
    ...step.secrets,
    KNOTLESS_STEP_ID: stepCookie(step.index, runId),
  };
  const lines = Object.entries(variables).map(
    // `command`: a variable that this shell keeps to itself (bash's UID) must not end the program.
    ([name, value]) => `command export ${name}=${quoted(value)} 2>/dev/null || :\n`,
  );
  const own = `knotless_name=${quoted(step.name)}\nknotless_script=${quoted(step.command)}\n`;
  return Buffer.from(`${lines.join('')}${own}# ${step.nonce}\n`);
}

/** Stands in the environment of all that a step starts, by which it is found wherever it has moved to. */
export const stepCookie = (index: number, runId: string): string => `${index}.${runId}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The volume belongs to root whoever the step runs as, and git refuses trees of other people. */
function gitTrustsTheCheckout(environment: Readonly<Record<string, string>>): Record<string, string> {
  if ('GIT_CONFIG_COUNT' in environment) return {};
  return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '/work' };
}
