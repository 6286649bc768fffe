import { badInput } from '../base/errors.ts';
import { variableNameProblem } from './text-rules.ts';

/** Throws a BadInput RunnerError for a name that no variable of a shell could have. */
export function checkVariableName(name: string): void {
  const problem = variableNameProblem(name);
  if (problem !== undefined) throw badInput(problem);
}
