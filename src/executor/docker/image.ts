import { messageOf, RunnerError } from '../../base/errors.ts';
import { engineWords } from '../../engine/engine-error.ts';
import { type ImageName, parseImageName } from '../../engine/image-name.ts';
import type { ContainerSettings } from './container-settings.ts';
import { imageSchema } from './engine-objects.ts';
import { outlastEngine } from './outlast-engine.ts';
import { PullProgress, pullLineSchema } from './pull-progress.ts';
import type { RunTarget } from './run-target.ts';

/** The header by which the engine signs in to a registry, or undefined; a secret. */
export type RegistrySignIn = (registry: string, signal: AbortSignal) => Promise<string | undefined>;

export interface ImageRequest {
  readonly image: string;
  readonly pull: ContainerSettings['pull'];
  readonly signIn: RegistrySignIn;
  /** Of the engine's machine: `linux/amd64`. */
  readonly platform: string;
}

export interface ReadyImage {
  /** How the image's platform and the machine's differ; undefined where they do not. */
  readonly misfit: string | undefined;
  /** Who its programs run as, as it says; empty for root. */
  readonly user: string;
}

/** Sees to it that the engine has the image, as `--pull` says. Rejects with ImagePull in the registry's words. */
export async function readyImage(
  target: RunTarget,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<ReadyImage> {
  const { image, pull } = request;
  let found = pull === 'always' ? undefined : await readImage(target, image, signal);
  if (!found) {
    if (pull === 'never') {
      throw new RunnerError(
        'ImagePull',
        `the engine has no image ${image}, and --pull never forbids to pull it`,
      );
    }
    await outlastEngine(target, 'pulling the image', signal, () => pullImage(target, request, signal));
    found = await readImage(target, image, signal);
  }
  if (!found) throw new RunnerError('ImagePull', `the image ${image} was pulled and is not there`);
  const platform = `${found.Os ?? 'linux'}/${found.Architecture ?? ''}`;
  const fits = !found.Architecture || platform === request.platform;
  return {
    user: found.Config?.User ?? '',
    misfit: fits
      ? undefined
      : `the image ${image} is for ${platform}, and the engine's machine is ${request.platform}`,
  };
}

async function readImage(target: RunTarget, image: string, signal: AbortSignal) {
  const call = {
    method: 'GET',
    path: `/images/${image}/json`,
    action: `look at the image ${image}`,
  } as const;
  return await outlastEngine(target, 'looking at the image', signal, async () => {
    try {
      return await target.api.request({ ...call, signal }, imageSchema);
    } catch (error) {
      if (error instanceof RunnerError && error.code === 'NotFound') return undefined;
      throw isNoName(error) ? invalidImage(image, error) : error;
    }
  });
}

async function pullImage(
  target: RunTarget,
  { image, signIn }: ImageRequest,
  signal: AbortSignal,
): Promise<void> {
  const name = parseImageName(image);
  const auth = await credentials(target, signIn, name, signal);
  const progress = new PullProgress(image, target);
  const call = {
    method: 'POST',
    path: '/images/create',
    query: { fromImage: name.name, tag: name.tagOrDigest },
    ...(auth === undefined ? {} : { headers: { 'X-Registry-Auth': auth } }),
    action: `pull the image ${image}`,
    timeoutMs: 120_000, // the registry answers before the engine does
    signal,
  } as const;
  try {
    for await (const line of target.api.lines(call)) {
      const told = pullLineSchema.parse(line);
      if (told.error) throw pullError(image, name, told.error, auth !== undefined);
      progress.hear(told);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RunnerError && (error.retry || error.code === 'ImagePull')) throw error;
    if (isNoName(error)) throw invalidImage(image, error);
    const words = messageOf(error).replace(`the engine cannot ${call.action}: `, '');
    throw pullError(image, name, words, auth !== undefined);
  }
}

/** Docker's words, and Podman's. */
const isNoName = (error: unknown): error is RunnerError =>
  error instanceof RunnerError && /invalid reference format|must be lowercase/.test(error.message);

const invalidImage = (image: string, error: RunnerError): RunnerError =>
  new RunnerError('InvalidImage', `${JSON.stringify(image)} is no name of an image: ${error.message}`, {
    cause: error,
  });

/** Most images need none: a helper that fails is told, and the registry has the last word. */
async function credentials(
  { observer }: RunTarget,
  signIn: RegistrySignIn,
  { registry }: ImageName,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await signIn(registry, signal);
  } catch (error) {
    signal.throwIfAborted();
    observer.warning(`the image is pulled without credentials: ${messageOf(error)}`);
    return undefined;
  }
}

function pullError(image: string, { registry }: ImageName, words: string, signedIn: boolean): RunnerError {
  const said = engineWords(words);
  const hint = /unauthorized|denied|authentication required|no basic auth/i.test(said)
    ? signedIn
      ? `; the docker configuration's credentials for ${registry} were used`
      : `; the docker configuration has no credentials for ${registry}: sign in with docker login`
    : '';
  return new RunnerError('ImagePull', `the image ${image} cannot be pulled: ${said}${hint}`);
}
