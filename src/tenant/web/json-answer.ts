import type { ZodType } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import type { WebAnswer } from './web-client.ts';
import { isHtml, parsedJson, refusalError } from './web-refusal.ts';

/** What a success holds. Throws the refusal of anything else, and ProtocolViolation for another shape. */
export function jsonOf<T>(answer: WebAnswer, schema: ZodType<T>, asked: string, now: Date): T {
  if (answer.status < 200 || answer.status > 299) throw refusalError(answer, asked, now);
  const json = parsedJson(answer.text);
  if (json === undefined) {
    const what = isHtml(answer) ? 'a page of HTML' : 'no JSON';
    throw new RunnerError(
      'ProtocolViolation',
      `${asked}: ${answer.url.host} answered with ${what}; is that the right address, and no proxy's or sign-in page's?`,
    );
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.map(String).join('.') || 'its top';
  throw new RunnerError(
    'ProtocolViolation',
    `${asked}: ${answer.url.host} answered with another shape than was expected, at ${place}`,
  );
}
