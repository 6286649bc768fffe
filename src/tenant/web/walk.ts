import { RunnerError } from '../../base/errors.ts';
import type { WebAnswer, WebClient, WebRequest } from './web-client.ts';

const mostRedirects = 10;

/** Where a way through redirects ended: at an answer of the same origin, or before a step to another. */
export type WalkEnd = { readonly answer: WebAnswer } | { readonly away: URL };

/** Sends a request and follows redirects for as long as they stay at its origin. Nothing is sent elsewhere. */
export async function walk(client: WebClient, request: WebRequest): Promise<WalkEnd> {
  let step = request;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await client.send(step);
    const target = redirectOf(answer, request.asked);
    if (target === undefined) return { answer };
    if (target.origin !== request.url.origin) return { away: target };
    step = answer.status === 307 || answer.status === 308 ? { ...step, url: target } : asGet(step, target);
  }
  throw new RunnerError(
    'ProtocolViolation',
    `${request.asked}: ${request.url.host} redirects in a circle (more than ${mostRedirects} times)`,
  );
}

/** Where an answer sends on to; undefined for one that does not. */
function redirectOf(answer: WebAnswer, asked: string): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const { location } = answer.headers;
  if (location === undefined || !URL.canParse(location, answer.url.href)) {
    throw new RunnerError('ProtocolViolation', `${asked}: ${answer.url.host} redirects to no address`);
  }
  return new URL(location, answer.url);
}

function asGet({ headers, asked, signal }: WebRequest, url: URL): WebRequest {
  const { 'Content-Type': _, ...others } = headers ?? {};
  return { method: 'GET', url, headers: others, asked, signal };
}
