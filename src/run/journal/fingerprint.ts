import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { badInput } from '../../base/errors.ts';
import type { RunRequest } from '../run-request.ts';
import type { JournalRecord } from './journal-record.ts';

export type Fingerprint = Pick<JournalRecord, 'salt' | 'inputs' | 'secrets'>;

/** By what a run is known again, without a word of what it is. */
export async function fingerprintOf(request: RunRequest, salt: string): Promise<Fingerprint> {
  const secrets = await Promise.all(
    Object.entries(request.secrets).map(
      async ([name, value]) => [name, await secretDigest(value, salt)] as const,
    ),
  );
  return { salt, inputs: inputsDigest(request, salt), secrets: Object.fromEntries(secrets) };
}

/** Rejects with BadInput where the request is not that of the run that was left. */
export async function checkFingerprint(request: RunRequest, left: Fingerprint): Promise<void> {
  const now = await fingerprintOf(request, left.salt);
  for (const [name, digest] of Object.entries(left.secrets)) {
    const given = now.secrets[name];
    if (given === undefined)
      throw badInput(`--resume: the run had the secret ${name}; give it again with --secret ${name}`);
    if (!timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(digest, 'hex'))) {
      throw badInput(
        `--resume: the secret ${name} has another value than when the run began, so the old one could not be masked; give the run its old value, or delete its Job and start it anew`,
      );
    }
  }
  const added = Object.keys(now.secrets).filter((name) => left.secrets[name] === undefined);
  if (added.length > 0)
    throw badInput(`--resume: the run did not have the secret ${added.join(', ')}; leave it out`);
  if (now.inputs !== left.inputs) {
    throw badInput(
      '--resume: the steps, the image, the variables or the runner are not those that the run began with; give the very same, or delete its Job and start it anew',
    );
  }
}

function inputsDigest(
  { workflow, image, environment, run, outputs, keep }: RunRequest,
  salt: string,
): string {
  const variables = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  const all = [workflow, image, variables, run.runner ?? null, outputs?.collect ?? null, keep];
  return createHmac('sha256', salt).update(JSON.stringify(all)).digest('hex');
}

/** Slow on purpose: a secret may be short, and this stands in a file. */
function secretDigest(value: string, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(value, salt, 32, (error, digest) => (error ? reject(error) : resolve(digest.toString('hex'))));
  });
}
