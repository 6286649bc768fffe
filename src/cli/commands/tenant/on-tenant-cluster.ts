import type { Wait } from '../../../tenant/clusters/wait-for-cluster.ts';
import { parseDuration } from '../../../workflow/duration.ts';
import type { CliContext } from '../../cli-context.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { OptionReader } from '../../flags/option-reader.ts';
import type { AtGateway } from './at-gateway.ts';
import { clusterFlags } from './cluster-flags.ts';
import { parseClusterName } from './cluster-name.ts';
import { gatewayFlags } from './gateway-flags.ts';
import { signedIn } from './signed-in.ts';

/** Does `work` on the cluster that the flags name. Where nobody is signed in, `otherwise` may know what to do. */
export async function onTenantCluster(
  context: CliContext,
  flags: FlagValues<typeof clusterFlags>,
  work: (wait: Wait, gateway: AtGateway) => Promise<void>,
  otherwise: (name: string, gateway: AtGateway) => Promise<boolean> = async () => false,
): Promise<void> {
  const reader = new OptionReader(clusterFlags, flags, context.process.env);
  const name = reader.parsed('cluster', parseClusterName) ?? '';
  const timeoutMs = reader.parsed('wait-timeout', parseDuration) ?? 0;
  await signedIn(
    { context, reader: reader.part(gatewayFlags) },
    (api, gateway) => {
      const { clock, say, signal } = gateway;
      return work({ api, name, timeoutMs, clock, say, signal }, gateway);
    },
    (gateway) => otherwise(name, gateway),
  );
}
