import { access, constants, stat } from 'node:fs/promises';
import { badInput, messageOf } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { Step } from '../workflow/workflow.ts';
import { outputPaths } from './output-paths.ts';
import type { RunRequest } from './run-request.ts';
import { sharedDestination } from './shared-destination.ts';
import { ownVariableNames } from './step-environment.ts';

/** Rejects with BadInput, if anything of the request cannot be. Makes the outputs folder, and nothing else. */
export async function checkRequest(request: RunRequest): Promise<void> {
  const { run, image, workflow, environment, secrets } = request;
  checkText(run.name, "the run's name");
  checkText(image, 'the image');
  checkVariables(workflow.environment, 'the workflow');
  checkVariables(environment, 'the run');
  checkVariables(secrets, 'the secrets');
  checkSteps(workflow.steps, secrets);
  checkLimits(request);
  await checkDestinations([request.log, request.result, request.events]);
  if (request.outputs) {
    outputPaths(request.outputs.collect);
    await checkOutputsFolder(request.outputs.folder);
  }
}

function checkText(text: string, what: string): void {
  if (text === '') {
    throw badInput(`${what} is empty`);
  }
  if (text.includes('\0')) {
    throw badInput(`${what} holds a NUL character`);
  }
}

function checkVariables(variables: Readonly<Record<string, string>>, whose: string): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw badInput(
        `${JSON.stringify(name)} (of ${whose}) is no name of a variable: use letters, digits and _, no digit first`,
      );
    }
    if (ownVariableNames.includes(name)) {
      throw badInput(`the variable ${name} (of ${whose}) is set by the runner itself; choose another name`);
    }
    if (value.includes('\0')) {
      throw badInput(`the variable ${name} (of ${whose}) holds a NUL character`);
    }
  }
}

function checkSteps(steps: readonly Step[], secrets: Readonly<Record<string, string>>): void {
  if (steps.length === 0) {
    throw badInput('the workflow has no steps');
  }
  const names = new Set<string>();
  for (const step of steps) {
    const what = `step ${JSON.stringify(step.name)}`;
    checkText(step.name, 'the name of a step');
    checkText(step.command, `the command of ${what}`);
    if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(step.name)) {
      throw badInput(`the name of ${what} holds a control character`);
    }
    if (names.has(step.name)) {
      throw badInput(`two steps are called ${JSON.stringify(step.name)}; names must differ`);
    }
    names.add(step.name);
    checkVariables(step.environment, what);
    const missing =
      step.secrets === 'all' ? [] : step.secrets.filter((name) => !Object.hasOwn(secrets, name));
    if (missing.length > 0) {
      throw badInput(`${what} needs the secret ${missing.join(', ')}; give it with --secret NAME`);
    }
  }
}

function checkLimits({ limits, workflow }: RunRequest): void {
  const all: [name: string, ms: number | undefined][] = [
    ...Object.entries(limits),
    ...workflow.steps.map(({ name, timeoutMs }): [string, number | undefined] => [
      `the timeout of step ${JSON.stringify(name)}`,
      timeoutMs,
    ]),
  ];
  for (const [name, ms] of all) {
    if (ms !== undefined && !(ms >= 0 && ms <= longestTimerMs)) {
      throw badInput(`${ms} ms is no limit of time (${name}): use 0 s to 24 days`);
    }
  }
}

/** A timer that is set for longer goes off at once. */
const longestTimerMs = 2 ** 31 - 1;

async function checkDestinations(destinations: Parameters<typeof sharedDestination>[0]): Promise<void> {
  const name = await sharedDestination(destinations);
  if (name === undefined) return;
  throw badInput(`log, result and events cannot share ${name}: each needs its own`);
}

async function checkOutputsFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    if (!(await stat(folder)).isDirectory()) {
      throw new Error('it is not a folder');
    }
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw badInput(`the outputs folder ${folder} cannot be written: ${messageOf(error)}`, error);
  }
}
