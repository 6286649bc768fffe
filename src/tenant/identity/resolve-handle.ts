import { withDeadline } from '../../base/deadline.ts';
import { RunnerError } from '../../base/errors.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import type { WebClient } from '../web/web-client.ts';

/** The texts of a name's TXT records, as of `node:dns`. */
export type ResolveTxt = (name: string) => Promise<readonly (readonly string[])[]>;

const dnsPatienceMs = 10_000;
const didForm = /^did:(plc:[a-z2-7]{24}|web:[A-Za-z0-9.%-]+)$/;

/**
 * The DID that a handle says it is: by DNS, or else by `https://HANDLE/.well-known/atproto-did`. Rejects where
 * neither says, without the handle in the message: it may come from a credential file.
 */
export async function resolveHandle(
  handle: string,
  client: WebClient,
  resolveTxt: ResolveTxt,
  signal: AbortSignal,
): Promise<string> {
  const byDns = await didsByDns(handle, resolveTxt, client, signal);
  if (byDns.dids.length > 1) {
    throw new RunnerError(
      'NotFound',
      'the handle has more than one DID in DNS (TXT records of _atproto below it), so whose it is cannot be told',
    );
  }
  const [did] = byDns.dids;
  if (did !== undefined) return did;
  const byWeb = await didByWeb(handle, client, signal);
  if ('did' in byWeb) return byWeb.did;
  throw new RunnerError(
    'NotFound',
    `the handle does not resolve: DNS has no TXT record of _atproto below it (${byDns.why}), and its host tells no DID at /.well-known/atproto-did (${byWeb.why}); check its spelling, or name the account's server with ATP_PDS_URL`,
  );
}

async function didsByDns(
  handle: string,
  resolveTxt: ResolveTxt,
  client: WebClient,
  signal: AbortSignal,
): Promise<{ readonly dids: readonly string[]; readonly why: string }> {
  try {
    const deadline = { name: 'the answer of DNS', ms: dnsPatienceMs };
    const found = await withDeadline(client.clock, deadline, signal, () => resolveTxt(`_atproto.${handle}`));
    const records = found.map((parts) => parts.join(''));
    const told = records.filter((text) => text.startsWith('did=')).map((text) => text.slice('did='.length));
    return { dids: [...new Set(told)].filter((did) => didForm.test(did)), why: 'none with a DID' };
  } catch (error) {
    signal.throwIfAborted();
    return { dids: [], why: error instanceof RunnerError ? 'no answer' : errorCodeOf(error) };
  }
}

async function didByWeb(
  handle: string,
  client: WebClient,
  signal: AbortSignal,
): Promise<{ readonly did: string } | { readonly why: string }> {
  const url = new URL(`https://${handle}/.well-known/atproto-did`);
  try {
    const answer = await client.send({ method: 'GET', url, asked: "the handle's host", signal });
    const did = answer.text.trim();
    if (answer.status === 200 && didForm.test(did)) return { did };
    return { why: answer.status === 200 ? 'no DID in its answer' : `status ${answer.status}` };
  } catch (error) {
    signal.throwIfAborted();
    return { why: error instanceof RunnerError ? errorCodeOf(error.cause) : 'no answer' };
  }
}
