import type { z } from 'zod';
import { sourceText } from './source-text.ts';
import type { Step, Workflow } from './workflow.ts';
import { problemOf } from './workflow-problem.ts';
import { workflowSchema } from './workflow-schema.ts';
import { readYaml } from './yaml-tree.ts';

/** Reads a workflow.yml. Throws a BadInput RunnerError that names file, line, column and reason. */
export function parseWorkflowYaml(bytes: Uint8Array, file: string): Workflow {
  const source = readYaml(sourceText(bytes, file), file);
  const parsed = workflowSchema.safeParse(source.tree, { reportInput: true });
  if (parsed.success) return workflowOf(parsed.data);
  const { path, reason, ofKey } = problemOf(parsed.error.issues);
  throw source.errorAt(path, reason, ofKey);
}

type WorkflowData = z.output<typeof workflowSchema>;

const workflowOf = (data: WorkflowData): Workflow => ({
  image: data.image,
  environment: data.environment ?? {},
  timeoutMs: data.timeout,
  resources: { cpu: data.resources?.cpu, memory: data.resources?.memory },
  steps: data.steps.map((step) => stepOf(step, data.secrets ?? [])),
});

const stepOf = (data: WorkflowData['steps'][number], secretsOfAll: readonly string[]): Step => ({
  name: data.name,
  command: data.command,
  environment: data.environment ?? {},
  secrets: [...new Set([...secretsOfAll, ...(data.secrets ?? [])])],
  timeoutMs: data.timeout,
  continueOnError: data.continue_on_error ?? false,
  always: data.always ?? false,
});
