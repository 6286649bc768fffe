import { z } from 'zod';
import { type ReasonCode, RunnerError } from '../../base/errors.ts';
import { redact } from '../../kube/credentials/redact.ts';
import { retryAfterMs } from '../../kube/retry-after.ts';
import type { WebAnswer } from './web-client.ts';

const longestWord = 500;

const refusalSchema = z.object({
  error: z.unknown().optional(),
  error_description: z.unknown().optional(),
  message: z.unknown().optional(),
});

/** An answer that is no success, as an error; `asked` begins the message. */
export function refusalError(answer: WebAnswer, asked: string, now: Date): RunnerError {
  const { status } = answer;
  const said = saidBy(answer);
  const because = said === undefined ? '' : `: ${said}`;
  const make = (code: ReasonCode, message: string, retry = false): RunnerError =>
    new RunnerError(code, `${asked}: ${message}`, { retry });
  if (status === 429) return throttled(answer, asked, now);
  if (status === 401) return make('Unauthorized', `${answer.url.host} asks to sign in${because}`);
  if (status === 403) return make('Forbidden', `${answer.url.host} forbids it${because}`);
  if (status === 404) return make('NotFound', `there is no such thing at ${answer.url.host}${because}`);
  if (status === 409) return make('Conflict', `${answer.url.host} refused${because} (status 409)`);
  if (status >= 500) {
    return make(
      'ConnectionLost',
      `${answer.url.host} is down or not well (status ${status})${because}; try again in a minute`,
      true,
    );
  }
  if (status >= 300 && status < 400) {
    return make('ProtocolViolation', `${answer.url.host} sent on to somewhere else (status ${status})`);
  }
  return make('ApiRefused', `${answer.url.host} refused${because} (status ${status})`);
}

function throttled(answer: WebAnswer, asked: string, now: Date): RunnerError {
  const waitMs = retryAfterMs(answer.headers['retry-after'], now) ?? untilReset(answer, now);
  const when =
    waitMs === undefined ? 'in some minutes' : `in ${Math.max(1, Math.ceil(waitMs / 1000))} seconds`;
  return new RunnerError(
    'Throttled',
    `${asked}: ${answer.url.host} takes no more for now, there were too many requests or attempts; try again ${when}, since each new attempt may prolong it`,
    waitMs === undefined ? {} : { retryAfterMs: waitMs },
  );
}

/** `RateLimit-Reset` of atproto servers is in seconds since 1970. */
function untilReset(answer: WebAnswer, now: Date): number | undefined {
  const header = answer.headers['ratelimit-reset'];
  if (typeof header !== 'string' || !/^\d{10}$/.test(header)) return undefined;
  return Math.max(0, Number(header) * 1000 - now.getTime());
}

/** The other side's own words, short, in one line, and without what looks like a credential. */
export function saidBy(answer: WebAnswer): string | undefined {
  if (isHtml(answer)) return 'it answered with a page of HTML';
  const parsed = refusalSchema.safeParse(parsedJson(answer.text));
  if (!parsed.success) return undefined;
  const { error, error_description: description, message } = parsed.data;
  const words = [error, description ?? message].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? undefined : oneLine([...new Set(words)].join(': '));
}

/** Text of another machine as a part of a message. */
export function oneLine(text: string): string {
  const line = redact(text.slice(0, 4 * longestWord))
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return line.length > longestWord ? `${line.slice(0, longestWord)}…` : line;
}

export const isHtml = (answer: WebAnswer): boolean =>
  /html/i.test(answer.headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(answer.text);

/** Undefined for what is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
