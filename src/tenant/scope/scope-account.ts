import type { Clock } from '../../base/clock.ts';
import { badInput } from '../../base/errors.ts';
import type { Right } from '../../kube/access-review.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import type { ClusterEntry } from '../../kube/kube-cluster.ts';
import { writePrivateFile } from '../private-file.ts';
import type { Account } from './account-objects.ts';
import { checkOurs, readObject } from './account-state.ts';
import { ensureAccount } from './ensure-account.ts';
import { checkReplaceable } from './kubeconfig-file.ts';
import { proveScope } from './prove-scope.ts';
import { requestToken } from './request-token.ts';
import { scopedKubeconfig } from './scoped-kubeconfig.ts';

export interface ScopeRequest {
  /** With an admin's rights. */
  readonly api: KubeApi;
  readonly cluster: ClusterEntry;
  readonly account: Account;
  readonly rights: readonly Right[];
  /** A Job as a run would make it, for the proof. */
  readonly job: object;
  readonly durationMs: number;
  /** Only a new token: nothing is made or changed on the cluster. */
  readonly renew: boolean;
  readonly createNamespace: boolean;
  /** The kubeconfig to write; in its folder is `id` used for a file of this call's own. */
  readonly file: string;
  readonly id: string;
  /** The cluster by a kubeconfig file, as a run would reach it. */
  readonly connect: (kubeconfig: string) => Promise<KubeApi>;
  readonly clock: Clock;
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface ScopedToken {
  readonly ends: Date;
  /** For how long it was granted, in milliseconds, where that is shorter than was asked for. */
  readonly shortenedToMs: number | null;
}

/** What the way to the server and back may take, and the clocks differ. */
const slackMs = 60_000;

/**
 * Makes or mends the account, and writes a kubeconfig with a new token of it once that is proven to be able to do what
 * a runner does, and little else. Safe to repeat.
 */
export async function scopeAccount(request: ScopeRequest): Promise<ScopedToken> {
  const { api, account, durationMs, clock, rights, job, tell, signal } = request;
  checkEncrypted(request.cluster);
  if (request.cluster['insecure-skip-tls-verify']) {
    tell(
      'warning: the server is not verified (insecure-skip-tls-verify), with the new kubeconfig as with the given one',
    );
  }
  await checkReplaceable(request.file, account);
  if (request.renew) await checkAccount(api, account, signal);
  else await ensureAccount(request);
  const { token, ends, grantedMs } = await requestToken(api, account, durationMs, signal);
  const text = scopedKubeconfig(request.cluster, account, token);
  await using file = await writePrivateFile(request.file, text, request.id);
  await using scoped = await request.connect(file.temporaryPath);
  await proveScope({ api: scoped, rights, job, clock, tell, signal });
  await file.place();
  const lastsMs = grantedMs ?? ends.getTime() - clock.date().getTime();
  return { ends, shortenedToMs: lastsMs < durationMs - slackMs ? lastsMs : null };
}

async function checkAccount(api: KubeApi, account: Account, signal: AbortSignal): Promise<void> {
  const found = await readObject(api, account, 'ServiceAccount', signal);
  checkOurs(found, 'ServiceAccount', account);
  if (found === undefined) {
    throw badInput(
      `there is no ServiceAccount ${account.namespace}/${account.name} to get a new token of; leave --renew away to make it`,
    );
  }
}

function checkEncrypted({ server }: ClusterEntry): void {
  if (server.startsWith('https:')) return;
  throw badInput(
    `${server} is not https://, so that anybody on the way could read a token; none is made for it`,
  );
}
