import type { RunIdentity, StepRequest } from '../executor/executor.ts';
import type { Step } from '../workflow/workflow.ts';

export interface EnvironmentSources {
  readonly run: RunIdentity;
  readonly workflow: Readonly<Record<string, string>>;
  /** What the caller of the run set (`-e`). */
  readonly caller: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * The variables of one step. Each of these stands above those before it: `CI`, the workflow's, the step's, the
 * caller's, a secret of the same name, and what the runner says of the run.
 */
export function stepEnvironment(
  step: Step,
  sources: EnvironmentSources,
): Pick<StepRequest, 'environment' | 'secrets'> {
  const secrets = secretsOf(step, sources.secrets);
  const given = { CI: 'true', ...sources.workflow, ...step.environment, ...sources.caller };
  const environment = Object.fromEntries(
    Object.entries(given).filter(([name]) => secrets[name] === undefined),
  );
  return { environment: { ...environment, ...ownVariables(step.name, sources.run) }, secrets };
}

function secretsOf(step: Step, secrets: Readonly<Record<string, string>>): Record<string, string> {
  const own = new Set(step.secrets === 'all' ? Object.keys(secrets) : step.secrets);
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => own.has(name)));
}

const ownVariables = (stepName: string, run: RunIdentity): Record<string, string> => ({
  KNOTLESS_RUN_ID: run.id,
  KNOTLESS_RUN_NAME: run.name,
  KNOTLESS_RUNNER: run.runner ?? '',
  KNOTLESS_STEP: stepName,
  KNOTLESS_WORK: '/work',
  KNOTLESS_STEPS: '/steps',
  KNOTLESS_OUTPUTS: '/outputs',
});

/** The variables that the runner sets itself; nobody else may. */
export const ownVariableNames: readonly string[] = [
  ...Object.keys(ownVariables('', { id: '', name: '', runner: undefined })),
  'KNOTLESS_STEP_ID', // of the step protocol, by which it finds what a step left running
];
