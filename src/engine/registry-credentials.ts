import { askCredentialHelper } from './credential-helper.ts';
import type { DockerConfig, RegistryEntry } from './docker-config.ts';

export interface CredentialSurroundings {
  readonly config: DockerConfig;
  readonly environment: Readonly<Partial<Record<string, string>>>;
}

/** Under this name the docker CLI keeps the credentials for Docker Hub. */
const dockerHub = 'https://index.docker.io/v1/';

/**
 * The header by which an engine signs in to a registry; undefined where the configuration has no credentials for
 * it. Rejects with Unauthorized where a helper cannot be asked. Its value is a secret.
 */
export async function registryAuth(
  registry: string,
  surroundings: CredentialSurroundings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { config } = surroundings;
  const server = registry === 'docker.io' ? dockerHub : registry;
  const helper =
    config.credHelpers?.[server] ?? config.credHelpers?.[registry] ?? (config.credsStore || undefined);
  const entry = helper
    ? await askCredentialHelper(helper, server, surroundings.environment, signal)
    : entryFor(server, config);
  const login = entry && loginOf(entry);
  if (!login) return undefined;
  return Buffer.from(JSON.stringify({ ...login, serveraddress: server })).toString('base64url');
}

/** Old entries have a scheme and a path around the host. */
function entryFor(server: string, { auths = {} }: DockerConfig): RegistryEntry | undefined {
  return auths[server] ?? Object.entries(auths).find(([key]) => hostOf(key) === hostOf(server))?.[1];
}

const hostOf = (address: string): string => address.replace(/^https?:\/\//, '').replace(/\/.*$/, '');

function loginOf(entry: RegistryEntry): Readonly<Record<string, string>> | undefined {
  if (entry.identitytoken) return { identitytoken: entry.identitytoken };
  if (entry.username) return { username: entry.username, password: entry.password ?? '' };
  if (!entry.auth) return undefined;
  const text = Buffer.from(entry.auth, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') };
}
