import { RunnerError } from '../../../base/errors.ts';
import { clusterWords, nodeWords } from '../../../tenant/clusters/cluster-words.ts';
import type { TenantCluster } from '../../../tenant/gateway/cluster-object.ts';
import type { GatewayApi } from '../../../tenant/gateway/gateway-api.ts';
import type { CliContext } from '../../cli-context.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { OptionReader } from '../../flags/option-reader.ts';
import { oneOf } from '../../options/scalars.ts';
import { print, printJson } from '../../terminal/print.ts';
import { formatTable } from '../../terminal/table.ts';
import { statusFlags } from './cluster-flags.ts';
import { parseClusterName } from './cluster-name.ts';
import { gatewayFlags } from './gateway-flags.ts';
import { signedIn } from './signed-in.ts';

/** `tenant status`: the session and the clusters, by the gateway's word. */
export async function statusCommand(this: CliContext, flags: FlagValues<typeof statusFlags>): Promise<void> {
  const { stdout, env } = this.process;
  const reader = new OptionReader(statusFlags, flags, env);
  const name = reader.parsed('cluster', parseClusterName);
  const output = reader.parsed('output', oneOf('table', 'json'));
  await signedIn({ context: this, reader: reader.part(gatewayFlags) }, async (api, { signal, say }) => {
    const clusters = name === undefined ? await api.list(signal) : [await named(api, name, signal)];
    const { gateway, did, expiresAt } = api.session;
    if (output === 'json') {
      const until = expiresAt?.toISOString() ?? null;
      const session = { did, expiresAt: until };
      await printJson(stdout, { schemaVersion: 1, gateway, session, clusters });
      return;
    }
    say(`signed in at ${gateway} as ${did}${expiresAt === null ? '' : ` until ${expiresAt.toISOString()}`}`);
    if (clusters.length === 0) say('the account has no cluster; tenant create makes one');
    else await print(stdout, statusTable(clusters, api.profile.cluster.phases.ready));
  });
}

async function named(api: GatewayApi, name: string, signal: AbortSignal): Promise<TenantCluster> {
  const cluster = await api.read(name, signal);
  if (cluster !== null) return cluster;
  throw new RunnerError('NotFound', `the account has no cluster ${name}; tenant create makes it`);
}

const statusTable = (clusters: readonly TenantCluster[], ready: string): string =>
  formatTable(
    ['NAME', 'STATUS', 'NODE'],
    clusters.map((cluster) => [
      cluster.name,
      clusterWords(cluster),
      cluster.phase === ready ? nodeWords(cluster) : '',
    ]),
  );
