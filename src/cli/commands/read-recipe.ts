import { parseStepsTsv } from '../../workflow/steps-tsv.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { RecipeFile } from '../options/run-options.ts';

/** The steps, from either format. The YAML parser is loaded only where it is needed. */
export async function readRecipe({ kind, content, name }: RecipeFile): Promise<Workflow> {
  if (kind === 'steps') return parseStepsTsv(content, name);
  const { parseWorkflowYaml } = await import('../../workflow/workflow-yaml.ts');
  return parseWorkflowYaml(content, name);
}
