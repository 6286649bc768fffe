import { sep } from 'node:path';
import { badInput } from '../base/errors.ts';
import type { ClusterTarget } from './cluster-target.ts';
import { basic, bearer, type ClientCertificate, type CredentialSource } from './credentials/credential.ts';
import { checkedPlugin } from './credentials/exec-credential.ts';
import { type ExecPluginContext, execPluginCredential } from './credentials/exec-plugin.ts';
import { fixedCredential, withClientCertificate } from './credentials/fixed-credential.ts';
import { tokenFileCredential } from './credentials/token-file.ts';
import { pemOf, pluginClusterInfo, readPem } from './kube-cluster.ts';
import type { KubeUser } from './kube-config.ts';
import type { ChosenContext } from './kube-context.ts';
import { besideFile } from './kube-paths.ts';

export type PluginSurroundings = Omit<ExecPluginContext, 'cluster'>;

/** How the user of a context proves who it is. Throws BadInput that names the file and the entry. */
export async function credentialsOf(
  context: ChosenContext,
  target: ClusterTarget,
  surroundings: PluginSurroundings,
): Promise<CredentialSource> {
  // As kubectl does: nothing secret over a connection that anybody can read.
  if (!context.user || target.server.protocol === 'http:') return fixedCredential();
  const { value: user, file } = context.user;
  const where = `the user "${context.userName}" of the kubeconfig ${file}`;
  const provider = user['auth-provider'];
  if (provider) {
    throw badInput(
      `${where} uses the auth-provider "${provider.name ?? ''}", which Kubernetes has removed; get a kubeconfig with an exec credential plugin or a token`,
    );
  }
  const header = headerCredential(user, context, target, surroundings, where);
  const readCertificate = certificateReader(user, file, where);
  return readCertificate ? withClientCertificate(header, await readCertificate(), readCertificate) : header;
}

function headerCredential(
  user: KubeUser,
  context: ChosenContext,
  target: ClusterTarget,
  surroundings: PluginSurroundings,
  where: string,
): CredentialSource {
  const file = context.user?.file ?? '';
  const { token, tokenFile, username, password = '', exec } = user;
  if ((token || tokenFile) && username) {
    throw badInput(`${where} has a token and a user name with password; only one of them can be used`);
  }
  // A token file wins over a token, and both over a plugin.
  if (tokenFile) return tokenFileCredential(besideFile(file, tokenFile), surroundings.clock);
  if (token) {
    if (/[^\x21-\x7e]/.test(token)) throw badInput(`${where} has a token that cannot be sent in a header`);
    return fixedCredential(bearer(token));
  }
  if (username) return fixedCredential(basic(username, password));
  if (!exec) return fixedCredential();
  const plugin = checkedPlugin(exec, where, surroundings.showToPerson !== undefined);
  const command = plugin.command.includes(sep) ? besideFile(file, plugin.command) : plugin.command;
  const cluster = exec.provideClusterInfo ? pluginClusterInfo(context, target) : undefined;
  return execPluginCredential({ ...plugin, command }, { ...surroundings, cluster });
}

function certificateReader(
  user: KubeUser,
  file: string,
  where: string,
): (() => Promise<ClientCertificate>) | undefined {
  const read = async (kind: 'client-certificate' | 'client-key'): Promise<string> => {
    const data = user[`${kind}-data`];
    if (data) return pemOf(Buffer.from(data, 'base64').toString(), `the ${kind}-data of ${where}`);
    const path = besideFile(file, user[kind] ?? '');
    const name = `the ${kind} ${path} of ${where}`;
    return pemOf(await readPem(path, name), name);
  };
  const hasCertificate = user['client-certificate'] || user['client-certificate-data'];
  const hasKey = user['client-key'] || user['client-key-data'];
  if (!hasCertificate && !hasKey) return undefined;
  if (!hasKey) throw badInput(`${where} has a client certificate without its key; add client-key`);
  if (!hasCertificate)
    throw badInput(`${where} has a client key without its certificate; add client-certificate`);
  return async () => ({ certificate: await read('client-certificate'), key: await read('client-key') });
}
