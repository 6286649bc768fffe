import type { ZodType } from 'zod';
import { RunnerError } from '../base/errors.ts';
import type { Asked } from './status-error.ts';

/** The JSON of an answer as what it should be, or ApiRefused with what is wrong with it. */
export function parseAnswer<T>(text: string, schema: ZodType<T>, asked: Asked): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new RunnerError('ApiRefused', `cannot ${asked.action}: ${asked.server} answered with no JSON`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RunnerError(
    'ApiRefused',
    `cannot ${asked.action}: ${asked.server} answered with something else than Kubernetes would, at ${issue?.path.map(String).join('.') || 'its top'}: ${issue?.message ?? ''}`,
  );
}
