import { z } from 'zod';
import { type ReasonCode, RunnerError } from '../base/errors.ts';

const statusSchema = z.object({
  // no `kind`: the status channel of an exec leaves it out
  status: z.enum(['Success', 'Failure']),
  message: z.string().nullish(),
  reason: z.string().nullish(),
  code: z.number().nullish(),
  details: z
    .object({
      retryAfterSeconds: z.number().nonnegative().nullish(),
      causes: z.array(z.object({ reason: z.string().nullish(), message: z.string().nullish() })).nullish(),
    })
    .nullish(),
});

/** Kubernetes' own word on how something went. */
export type Status = z.output<typeof statusSchema>;

/** Null for anything but a Status. */
export function parseStatus(text: string): Status | null {
  try {
    return statusSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** An answer that is no success. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  readonly text: string;
  /** From the header, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** What was asked for, as messages name it. */
export interface Asked {
  readonly server: string;
  /** `create jobs.batch in the namespace ci`, `exec in the pod run-1`. */
  readonly action: string;
  /** The right that it takes, where the action does not say it. */
  readonly right?: string;
  readonly method: string;
}

const shownChars = 1_000;
const startingUp = /container not found|unable to upgrade connection|does not have a host assigned/i;

export function refusalError(refusal: Refusal, asked: Asked): RunnerError {
  const status = parseStatus(refusal.text);
  const said = status?.message || plainText(refusal.text) || 'it gave no reason';
  const seconds = status?.details?.retryAfterSeconds;
  const waitMs = refusal.retryAfterMs ?? (seconds ? seconds * 1000 : undefined);
  return errorOf(refusal.status, status?.reason ?? undefined, shown(said), waitMs, asked);
}

function errorOf(
  http: number,
  reason: string | undefined,
  said: string,
  waitMs: number | undefined,
  asked: Asked,
): RunnerError {
  const make = (code: ReasonCode, message: string, retry = false): RunnerError =>
    new RunnerError(code, message, { retry, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) });
  const { server, action } = asked;
  switch (http) {
    case 401:
      return make(
        'Unauthorized',
        `${server} refused the credentials: ${said}; sign in again or get a new kubeconfig`,
      );
    case 403:
      return make(
        'Forbidden',
        `${server} forbids to ${action}${asked.right ? ` (it takes ${asked.right})` : ''}: ${said}`,
      );
    case 404:
      return make('NotFound', `cannot ${action}: ${said}`, startingUp.test(said));
    case 409: {
      const code = reason === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict';
      // a failed precondition (another UID) stays failed
      const again = asked.method === 'DELETE' && code === 'Conflict' && !/precondition/i.test(said);
      return make(code, `cannot ${action}: ${said}`, again || waitMs !== undefined);
    }
    case 429:
    case 503:
      return make('Throttled', `${server} is too busy or not ready to ${action}: ${said}`, true);
    default: {
      const again = http >= 500 && http !== 501;
      return make(
        'ApiRefused',
        `cannot ${action}: ${said} (status ${http})`,
        again || waitMs !== undefined || startingUp.test(said),
      );
    }
  }
}

/** A gateway's page of HTML, or the like, in one line. */
function plainText(text: string): string {
  return text
    .slice(0, 8 * shownChars) // what follows would not be shown, and the patterns are slow on hostile text
    .replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function shown(text: string): string {
  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return printable.length > shownChars ? `${printable.slice(0, shownChars)}…` : printable;
}
