import { dockerFolder, readDockerConfig } from '../../engine/docker-config.ts';
import { registryAuth } from '../../engine/registry-credentials.ts';
import { createDockerExecutor } from '../../executor/docker/docker-executor.ts';
import type { RegistrySignIn } from '../../executor/docker/image.ts';
import type { CliContext } from '../cli-context.ts';
import { containerSettings } from './container-plan.ts';
import type { ExecutorRequest, OpenExecutor } from './executor-request.ts';
import { openEngine } from './open-engine.ts';

/** Runs in containers of the engine that `--engine`, DOCKER_HOST or the docker context name, or of one that is here. */
export async function dockerExecutor(request: ExecutorRequest): Promise<OpenExecutor> {
  const { options, plan, clock, context } = request;
  const engine = await openEngine(request, options.engine);
  const executor = createDockerExecutor({
    engine,
    container: containerSettings(plan.pod),
    compress: options.compress,
    signIn: signIn(context),
    clock,
  });
  return {
    executor,
    cluster: { name: engine.url, namespace: '' },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** The docker configuration is read when an image is pulled, and not before. */
const signIn =
  ({ process, homeFolder }: CliContext): RegistrySignIn =>
  async (registry, signal) => {
    const config = await readDockerConfig(dockerFolder(process.env, homeFolder));
    return await registryAuth(registry, { config, environment: process.env }, signal);
  };
