import { z } from 'zod';
import { badInput, RunnerError } from '../../base/errors.ts';
import type { KubeExec } from '../kube-config.ts';
import { bearer, type Credential } from './credential.ts';
import { expiryOf } from './expiry.ts';

/** The protocol between kubectl and its credential plugins: pure parts. */

const supportedVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** What a plugin that asks for it (`provideClusterInfo`) is told of the cluster. */
export interface PluginClusterInfo {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** Base64 of PEM. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly config?: unknown;
}

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | undefined;
  readonly interactive: boolean;
}

/** Checks a plugin's configuration as kubectl does. `where` names the user and the file. */
export function checkedPlugin(exec: KubeExec, where: string, hasTerminal: boolean): ExecPlugin {
  const { apiVersion, command, interactiveMode } = exec;
  if (!command) throw badInput(`${where} has a credential plugin without a command`);
  if (!apiVersion || !supportedVersions.includes(apiVersion)) {
    throw badInput(
      `${where} has a credential plugin of apiVersion "${apiVersion ?? ''}"; ${supportedVersions.join(' and ')} are supported`,
    );
  }
  if (!interactiveMode && apiVersion.endsWith('/v1')) {
    throw badInput(`${where} has a credential plugin without interactiveMode, which ${apiVersion} requires`);
  }
  if (interactiveMode === 'Always' && !hasTerminal) {
    throw badInput(
      `${where} has a credential plugin that must ask at a terminal (interactiveMode Always), and standard input is none; sign in beforehand or use another user of the kubeconfig`,
    );
  }
  return {
    apiVersion,
    command,
    args: exec.args,
    env: Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
    installHint: exec.installHint,
    interactive: hasTerminal && interactiveMode !== 'Never',
  };
}

/** The value of `KUBERNETES_EXEC_INFO`. */
export function execInfo(plugin: ExecPlugin, cluster: PluginClusterInfo | undefined): string {
  return JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { ...(cluster ? { cluster } : {}), interactive: plugin.interactive },
  });
}

const answerSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
    expirationTimestamp: z.iso.datetime({ offset: true }).nullish(),
  }),
});

export interface PluginCredential {
  readonly credential: Credential;
  readonly expiresAt: Date | null;
  /** When the plugin is to be run again; null for never, unless the server refuses. */
  readonly renewAt: Date | null;
}

/** What a plugin printed. No error holds any of it: it is a credential. */
export function parsePluginAnswer(output: string, plugin: ExecPlugin): PluginCredential {
  const refuse = (why: string): RunnerError =>
    new RunnerError('Unauthorized', `the credential plugin ${plugin.command} ${why}`);
  let json: unknown;
  try {
    json = JSON.parse(output);
  } catch {
    throw refuse('printed something that is not JSON');
  }
  const parsed = answerSchema.safeParse(json);
  if (!parsed.success) {
    throw refuse(
      `printed no valid ExecCredential (wrong at ${parsed.error.issues[0]?.path.join('.') || 'its top'})`,
    );
  }
  const { apiVersion, status } = parsed.data;
  if (apiVersion !== plugin.apiVersion) {
    throw refuse(`answered in another apiVersion than ${plugin.apiVersion}, which the kubeconfig asks for`);
  }
  const { token, clientCertificateData: certificate, clientKeyData: key } = status;
  if (!certificate !== !key) throw refuse('gave a client certificate without its key, or a key alone');
  if (!token && !certificate) throw refuse('gave neither a token nor a client certificate');
  if (token && /[^\x21-\x7e]/.test(token)) throw refuse('gave a token that cannot be sent in a header');
  const credential: Credential = {
    authorization: token ? bearer(token) : undefined,
    clientCertificate: certificate && key ? { certificate, key } : undefined,
  };
  const renewAt = status.expirationTimestamp ? new Date(status.expirationTimestamp) : null;
  return { credential, renewAt, expiresAt: renewAt ?? expiryOf(credential) };
}
