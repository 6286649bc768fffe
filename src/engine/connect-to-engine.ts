import { z } from 'zod';
import { messageOf, RunnerError } from '../base/errors.ts';
import { type EngineAddress, engineUrl } from './engine-address.ts';
import { EngineApi, type EngineApiOptions } from './engine-api.ts';
import { shown } from './engine-error.ts';

/** The versions of the API that this client speaks, oldest and newest. */
const ours = { oldest: '1.40', newest: '1.47' } as const;

const versionSchema = z.object({
  Version: z.string().optional(),
  ApiVersion: z.string().regex(/^\d+\.\d+$/),
  MinAPIVersion: z.string().optional(),
  Os: z.string().optional(),
  Arch: z.string().optional(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});

/** An engine that has answered. */
export interface Engine extends AsyncDisposable {
  readonly api: EngineApi;
  /** As `docker -H` takes it. */
  readonly url: string;
  /** `Docker Engine 20.10.24`, for messages. */
  readonly name: string;
  /** Of its machine: `linux/amd64`. */
  readonly platform: string;
}

export type EngineRequirements = Omit<EngineApiOptions, 'address' | 'version'>;

/**
 * Connects to the first of these that answers. Rejects with what each of them said; with `Forbidden` where one is
 * there and this user may not, `ApiRefused` where its version is not ours.
 */
export async function connectToEngine(
  addresses: readonly EngineAddress[],
  options: EngineRequirements,
  signal?: AbortSignal,
): Promise<Engine> {
  const tried: Tried[] = [];
  for (const address of addresses) {
    try {
      return await greeted(address, options, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RunnerError)) throw error;
      options.trace(`no engine at ${engineUrl(address)}: ${error.message}`);
      tried.push({ address, error });
    }
  }
  throw noEngine(tried);
}

async function greeted(
  address: EngineAddress,
  options: EngineRequirements,
  signal: AbortSignal | undefined,
): Promise<Engine> {
  await using unversioned = new EngineApi({ ...options, address, version: undefined });
  const call = { method: 'GET', path: '/version', action: 'tell its version', signal } as const;
  const told = await unversioned.request(call, versionSchema);
  const isPodman = told.Components?.some(({ Name }) => Name.startsWith('Podman')) ?? false;
  const name = shown(`${isPodman ? 'Podman' : 'Docker Engine'} ${told.Version ?? ''}`);
  const url = engineUrl(address);
  const version = commonVersion(told.ApiVersion, told.MinAPIVersion ?? told.ApiVersion, name, url);
  options.trace(`${name} at ${url}, API ${version}`);
  const api = new EngineApi({ ...options, address, version });
  const platform = shown(`${told.Os ?? 'linux'}/${told.Arch ?? ''}`);
  return { api, url, name, platform, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

function commonVersion(newest: string, oldest: string, name: string, url: string): string {
  if (isOlder(newest, ours.oldest)) {
    throw new RunnerError(
      'ApiRefused',
      `the engine at ${url} (${name}) is too old: it speaks version ${newest} of the API, and this runner ${ours.oldest} to ${ours.newest}; install a newer engine`,
    );
  }
  if (isOlder(ours.newest, oldest)) {
    throw new RunnerError(
      'ApiRefused',
      `the engine at ${url} (${name}) is too new: it speaks version ${oldest} of the API and newer ones, and this runner ${ours.oldest} to ${ours.newest}; install a newer runner`,
    );
  }
  return isOlder(newest, ours.newest) ? newest : ours.newest;
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}

interface Tried {
  readonly address: EngineAddress;
  readonly error: RunnerError;
}

/** One that is there and does not let us in says more than those that are not. */
function noEngine(tried: readonly Tried[]): RunnerError {
  const telling = tried.find(({ error }) => !error.retry) ?? tried[0];
  if (telling && (!telling.error.retry || tried.length === 1)) return telling.error;
  const list = tried.map(
    ({ address, error }) => `${engineUrl(address)} (${messageOf(error.cause ?? error)})`,
  );
  return new RunnerError(
    'ConnectionLost',
    `no engine was found; tried ${list.join(', ')}; start Docker or Podman, or name one with --engine or DOCKER_HOST`,
  );
}
