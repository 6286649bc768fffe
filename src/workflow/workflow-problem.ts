import type { z } from 'zod';
import { similarWord } from './similar-word.ts';
import { workflowSchema } from './workflow-schema.ts';
import type { YamlPath } from './yaml-tree.ts';

export interface WorkflowProblem {
  /** What is wrong, or what something is missing in. */
  readonly path: YamlPath;
  readonly reason: string;
  /** Whether the key is wrong and not its value. */
  readonly ofKey: boolean;
}

/** What to tell of what zod found: the first thing. */
export function problemOf(issues: readonly z.core.$ZodIssue[]): WorkflowProblem {
  // A key that is misspelt is often missing as well; it is the better hint.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (!issue) return { path: [], reason: 'it is no workflow', ofKey: false };
  switch (issue.code) {
    case 'unrecognized_keys': {
      const key = issue.keys[0] ?? '';
      return { path: [...issue.path, key], reason: unknownKey(key, issue.path), ofKey: true };
    }
    case 'invalid_key':
      return { path: issue.path, reason: issue.issues[0]?.message ?? issue.message, ofKey: true };
    case 'invalid_type':
      return { path: issue.path, reason: wrongType(issue), ofKey: false };
    case 'invalid_value':
      return {
        path: issue.path,
        reason: `write ${issue.values.join(' or ')} here, without quotes`,
        ofKey: false,
      };
    case 'too_small':
      return { path: issue.path, reason: 'the list is empty', ofKey: false };
    default:
      return { path: issue.path, reason: issue.message, ofKey: false };
  }
}

function unknownKey(key: string, path: YamlPath): string {
  const known = knownKeys(path);
  const similar = similarWord(key, known);
  const hint = similar ? `did you mean ${similar}?` : `known are ${known.join(', ')}`;
  return `there is no key ${JSON.stringify(key)} here; ${hint}`;
}

function knownKeys(path: YamlPath): string[] {
  const { shape } = workflowSchema;
  if (path.length === 0) return Object.keys(shape);
  return Object.keys(path[0] === 'resources' ? shape.resources.unwrap().shape : shape.steps.element.shape);
}

const namesOfTypes: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of names and values',
};

function wrongType(issue: z.core.$ZodIssueInvalidType): string {
  const expected = namesOfTypes[issue.expected] ?? issue.expected;
  if (issue.input === undefined)
    return `the key ${JSON.stringify(String(issue.path.at(-1)))} is missing; it is ${expected}`;
  if (issue.input === null)
    return `there is no value here; ${expected} is due${issue.expected === 'string' ? ' ("" for an empty one)' : ''}`;
  return `${expected} is due here`;
}
