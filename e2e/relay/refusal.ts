import { STATUS_CODES } from 'node:http';
import type { RequestRule } from './rules.ts';

export type RefuseRule = Extract<RequestRule, { do: 'refuse' }>;

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
};

/** An answer as the API would give it. */
export function refusalOf({ status, retryAfter, message = `the relay answers ${status}` }: RefuseRule): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: status,
    reason: reasons[status] ?? 'InternalError',
    message,
    ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
  });
  return {
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body,
  };
}

/** The same as bytes, for a connection that asked for an upgrade. */
export function rawRefusalOf(rule: RefuseRule): string {
  const { headers, body } = refusalOf(rule);
  return `${rawHead(rule.status, STATUS_CODES[rule.status] ?? 'Refused', Object.entries(headers).flat())}${body}`;
}

/** The head of an answer; `raw` holds names and values in turn. */
export function rawHead(status: number, message: string, raw: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status} ${message}`];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const isHop = status !== 101 && /^(connection|transfer-encoding)$/i.test(name);
    if (!isHop) lines.push(`${name}: ${raw[at + 1] ?? ''}`);
  }
  if (status !== 101) lines.push('connection: close');
  return `${lines.join('\r\n')}\r\n\r\n`;
}
