import { join } from 'node:path';
import { dockerFolder, readDockerConfig } from './docker-config.ts';
import { readDockerContext } from './docker-context.ts';
import { type EngineAddress, type EngineTls, parseEngineUrl } from './engine-address.ts';
import { readEngineTls } from './engine-tls.ts';

export interface EngineSurroundings {
  readonly environment: Readonly<Partial<Record<string, string>>>;
  readonly homeFolder: string;
  /** What `--engine` says. */
  readonly engine: string | undefined;
}

const rootSocket = 'unix:///var/run/docker.sock';

/**
 * Where the engine may be, in the order in which to try: what is asked for, or else DOCKER_HOST, or else the
 * docker context, each alone; where nothing says, the sockets that engines have. Throws BadInput.
 */
export async function findEngine(surroundings: EngineSurroundings): Promise<readonly EngineAddress[]> {
  const { environment, homeFolder, engine } = surroundings;
  const asked = engine ?? (environment.DOCKER_HOST || undefined);
  const folder = dockerFolder(environment, homeFolder);
  if (asked !== undefined) return [parseEngineUrl(asked, await tlsOfEnvironment(environment, folder))];
  const context = environment.DOCKER_CONTEXT || (await readDockerConfig(folder)).currentContext || 'default';
  const named = context === 'default' ? undefined : await readDockerContext(folder, context);
  if (named) return [named];
  return defaultSockets(surroundings).map((url) => parseEngineUrl(url, undefined));
}

/** As the docker CLI has it: DOCKER_TLS_VERIFY asks for TLS, DOCKER_CERT_PATH says where its files are. */
async function tlsOfEnvironment(
  environment: EngineSurroundings['environment'],
  folder: string,
): Promise<EngineTls | undefined> {
  if (!environment.DOCKER_TLS_VERIFY && !environment.DOCKER_TLS) return undefined;
  return await readEngineTls(environment.DOCKER_CERT_PATH || folder);
}

/** Docker's own before Podman's, and the machine's before the person's, as the docker CLI would. */
function defaultSockets({ environment, homeFolder }: EngineSurroundings): readonly string[] {
  const runtime = environment.XDG_RUNTIME_DIR;
  const ofRuntime = (name: string): string[] => (runtime ? [`unix://${join(runtime, name)}`] : []);
  return [
    rootSocket,
    ...ofRuntime('docker.sock'),
    `unix://${join(homeFolder, '.docker/run/docker.sock')}`,
    ...ofRuntime('podman/podman.sock'),
    'unix:///run/podman/podman.sock',
  ];
}
