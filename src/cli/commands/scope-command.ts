import { randomUUID } from 'node:crypto';
import { jobManifest } from '../../executor/kubernetes/job-manifest.ts';
import { defaultPodSettings } from '../../executor/kubernetes/pod-settings.ts';
import { rightsOfRunner } from '../../executor/kubernetes/rights.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import { readClusterEntry } from '../../kube/read-cluster-entry.ts';
import { removeKubeconfig } from '../../tenant/scope/kubeconfig-file.ts';
import { revokeAccount } from '../../tenant/scope/revoke-account.ts';
import { type ScopedToken, scopeAccount } from '../../tenant/scope/scope-account.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseScopeOptions, type ScopeOptions } from '../options/scope-options.ts';
import { formatMoment } from '../terminal/moment.ts';
import { print } from '../terminal/print.ts';
import { formatElapsed } from '../terminal/units.ts';
import { connect } from './connect.ts';
import { type OnCluster, onCluster } from './on-cluster.ts';
import { scopeFlags } from './scope-flags.ts';
import { trialRequest } from './trial-request.ts';
import { note } from './until-signal.ts';

/** `kubeconfig scope`: makes a runner's account and its kubeconfig, renews its token, or ends it. */
export async function scopeCommand(this: CliContext, flags: FlagValues<typeof scopeFlags>): Promise<void> {
  const options = await parseScopeOptions(new OptionReader(scopeFlags, flags, this.process.env), this);
  const surroundings = { context: this, options: options.connection, verbose: options.verbose };
  await onCluster(surroundings, (cluster) =>
    options.mode === 'revoke' ? revoke(this, options, cluster) : make(this, options, cluster),
  );
}

async function make(
  context: CliContext,
  options: ScopeOptions,
  { connection, ...on }: OnCluster,
): Promise<void> {
  const { api } = connection;
  const { namespace } = api;
  const { file, connection: road, ...wanted } = options;
  const { env } = context.process;
  const { cluster } = await readClusterEntry({ ...road, environment: env, homeFolder: context.homeFolder });
  const connectBy = async (kubeconfig: string): Promise<KubeApi> => {
    const to = { ...road, kubeconfig, context: undefined, namespace };
    return (await connect({ context, ...on }, to)).api;
  };
  const token = await scopeAccount({
    ...wanted,
    ...on,
    api,
    cluster,
    account: { namespace, name: options.name },
    rights: rightsOfRunner.map(({ right }) => right),
    job: jobManifest(trialRequest(trial), defaultPodSettings, namespace),
    renew: options.mode === 'renew',
    file,
    id: randomUUID(),
    connect: connectBy,
    tell: (message) => note(context, message),
  });
  tellToken(context, options, token, on.clock.date());
  await print(context.process.stdout, `${file}\n`);
}

const trial = { image: 'busybox:1.36', readyMs: 900_000, stepsMs: 3_600_000 };

function tellToken(context: CliContext, { durationMs }: ScopeOptions, token: ScopedToken, now: Date): void {
  const { ends, shortenedToMs } = token;
  note(context, `the token ends on ${formatMoment(ends, now)}; before that: kubeconfig scope --renew`);
  if (shortenedToMs === null) return;
  note(
    context,
    `warning: a token of ${formatElapsed(durationMs)} was asked for, and the cluster gives none of more than ${formatElapsed(shortenedToMs)} (--service-account-max-token-expiration of its API server)`,
  );
}

async function revoke(
  context: CliContext,
  { file, name }: ScopeOptions,
  { connection: { api }, signal }: OnCluster,
): Promise<void> {
  const account = { namespace: api.namespace, name };
  const tell = (message: string): void => note(context, message);
  const isAny = await revokeAccount({ api, account, tell, signal });
  if (await removeKubeconfig(file, account)) tell(`${file}: removed`);
  if (!isAny) return tell(`there was no account ${account.namespace}/${name} to revoke`);
  tell(
    'all tokens of the account have ended with it, within some seconds; single ones cannot be revoked. Runs that still use one lose the cluster: their pods end by themselves',
  );
}
