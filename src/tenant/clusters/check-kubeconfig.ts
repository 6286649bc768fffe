import { messageOf, RunnerError } from '../../base/errors.ts';
import { type KubeCluster, type KubeConfig, type KubeUser, parseKubeConfig } from '../../kube/kube-config.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import { isLoopback } from '../web/safe-origin.ts';

/**
 * Throws ProtocolViolation for a kubeconfig that leads elsewhere than to the gateway, or that would make kubectl
 * run a program or send a file of this machine.
 */
export function checkKubeconfig(text: string, profile: GatewayProfile): void {
  const config = parsed(text);
  const context = config.contexts.get(config.currentContext ?? '')?.value;
  if (context === undefined || !config.clusters.has(context.cluster ?? '')) {
    throw refused('has no current context with a cluster');
  }
  for (const [name, { value }] of config.clusters) checkCluster(`the cluster ${shown(name)}`, value, profile);
  for (const [name, { value }] of config.users) checkUser(`the user ${shown(name)}`, value);
}

function parsed(text: string): KubeConfig {
  try {
    return parseKubeConfig(text, 'of the gateway');
  } catch (error) {
    throw new RunnerError('ProtocolViolation', `${messageOf(error)}; it was not kept`, { cause: error });
  }
}

function checkCluster(name: string, cluster: KubeCluster, profile: GatewayProfile): void {
  const server =
    cluster.server !== undefined && URL.canParse(cluster.server) ? new URL(cluster.server) : null;
  if (server === null) throw refused(`has no usable server for ${name}`);
  if (server.protocol !== 'https:' && !(server.protocol === 'http:' && isLoopback(server))) {
    throw refused(`has a server for ${name} that is not https`);
  }
  if (!isOfGateway(server, profile)) {
    throw refused(
      `leads ${name} to ${server.host}, which is not the gateway's ${new URL(profile.gateway).hostname}; if it is right, add it to kubeconfigHosts of the profile`,
    );
  }
  if (cluster['insecure-skip-tls-verify']) throw refused(`does not check who the server of ${name} is`);
  if (cluster['proxy-url'] !== undefined) throw refused(`leads ${name} through a proxy`);
  if (cluster['certificate-authority'] !== undefined)
    throw refused(`names a file of this machine for ${name}`);
}

function checkUser(name: string, user: KubeUser): void {
  if (user.exec) throw refused(`would run a program of this machine for ${name}`);
  if (user['auth-provider']) throw refused(`wants an auth-provider for ${name}`);
  const files = [user.tokenFile, user['client-certificate'], user['client-key']];
  if (files.some((file) => file !== undefined)) throw refused(`names a file of this machine for ${name}`);
}

/** By host: the API of clusters may be at a port of its own. */
function isOfGateway(server: URL, { gateway, kubeconfigHosts }: GatewayProfile): boolean {
  const own = new URL(gateway);
  if (isLoopback(own) && isLoopback(server)) return true;
  return [own.hostname, ...kubeconfigHosts].some(
    (host) => host.toLowerCase() === server.hostname.toLowerCase(),
  );
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));

const refused = (what: string): RunnerError =>
  new RunnerError('ProtocolViolation', `the kubeconfig of the gateway ${what}; it was not kept`);
