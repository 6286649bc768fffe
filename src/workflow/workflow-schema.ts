import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { parseTimeLimit } from './duration.ts';
import { checkImageReference } from './image-reference.ts';
import { checkCpu, checkMemory } from './quantity.ts';
import type { TextRule } from './text-rules.ts';
import { commandProblem, stepNameProblem, variableNameProblem, variableValueProblem } from './text-rules.ts';

/** A problem that a rule finds, as zod takes it. */
const following =
  (rule: TextRule): z.core.CheckFn<string> =>
  ({ value, issues }) => {
    const message = rule(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  };

/** The message of what a check throws. */
const ruleOf =
  (check: (text: string) => void): TextRule =>
  (text) => {
    try {
      check(text);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };

const text = z.string();
/** Text that an editor may take for a number, a truth value or null: it is taken as written. */
const written = z.string().meta({ type: ['string', 'number', 'boolean', 'null'] });
const amount = z.string().meta({ type: ['string', 'number'] });
const flag = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .meta({ type: 'boolean', enum: [true, false] });
const duration = text
  .check(following(ruleOf(parseTimeLimit)))
  .transform((limit) => parseTimeLimit(limit))
  .meta({ pattern: '^([0-9]+h)?([0-9]+m)?([0-9]+s)?$', examples: ['90s', '15m', '2h', '1h30m'] });
const variableName = text.check(following(variableNameProblem)).meta({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' });
const environment = z
  .record(variableName, written.check(following(variableValueProblem)))
  .describe('Variables by name. Values are text, taken as written.');
const secrets = z.array(variableName).describe('Names of secrets; their values are given to the runner.');

const stepSchema = z.strictObject({
  name: written.check(following(stepNameProblem)).describe('Unique in the workflow.'),
  command: written
    .check(following(commandProblem))
    .describe('What `sh -e` runs in /work; any number of lines.'),
  environment: environment.optional(),
  secrets: secrets.optional().describe('Secrets of this step alone, by name.'),
  timeout: duration.optional().describe('How long the step may take.'),
  continue_on_error: flag
    .optional()
    .describe("Whether a failure of this step leaves the run's status alone."),
  always: flag
    .optional()
    .describe('Whether the step also runs after a failure or a step that took too long.'),
});

/** workflow.yml with all its scalars as text. */
export const workflowSchema = z
  .strictObject({
    image: text
      .check(following(ruleOf(checkImageReference)))
      .optional()
      .describe('The image that the steps run in.'),
    environment: environment.optional(),
    secrets: secrets.optional().describe('Secrets that every step gets, by name.'),
    timeout: duration.optional().describe('How long all the steps may take together.'),
    resources: z
      .strictObject({
        cpu: amount
          .check(following(ruleOf(checkCpu)))
          .optional()
          .describe('Processors that are asked for: 500m, 2.'),
        memory: amount
          .check(following(ruleOf(checkMemory)))
          .optional()
          .describe('Memory, asked for and at most: 512Mi.'),
      })
      .optional(),
    steps: z
      .array(stepSchema)
      .min(1)
      .check(({ value, issues }) => {
        const names = new Set<string>();
        for (const [index, { name }] of value.entries()) {
          const message = `another step is called ${JSON.stringify(name)} already; give each step its own name`;
          if (names.has(name)) issues.push({ code: 'custom', message, path: [index, 'name'], input: value });
          names.add(name);
        }
      }),
  })
  .describe('A workflow of knotless-runner-k8s: steps that are run one after another.');
