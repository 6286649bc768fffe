import { objectName } from '../../src/executor/object-name.ts';
import { dockerExecutorOn, engineAt } from '../contract/docker-executor.ts';
import { eventually } from '../contract/eventually.ts';
import { startDockerEngine } from '../docker/docker-engine.ts';
import type { Engine } from '../docker/engine.ts';
import { kitImages, kitImagesFolder } from '../docker/kit-images.ts';
import { startEngineRelay } from '../relay/engine-relay.ts';
import { planEngineFaults } from './engine-faults.ts';
import type { Ground } from './ground.ts';

/** So that a container can be out of it. */
const memory = '128Mi';
/** What takes all of it, after process 1 was made the first to go. */
const hog = ['sh', '-c', 'echo 1000 >/proc/1/oom_score_adj; tail /dev/zero'];

/** A Docker Engine of the drill's own. */
export async function ownEngineGround(): Promise<Ground> {
  const engine = await startDockerEngine(await kitImages(kitImagesFolder(process.env), ['busybox:1.36']));
  return {
    name: `${engine.name} at ${engine.url}`,
    flags: '--docker',
    planFaults: planEngineFaults,
    async openRoad({ trace }) {
      const relay = await startEngineRelay(engine.url);
      const connected = await engineAt(relay.url, trace);
      return {
        executor: dockerExecutorOn(connected, { memory }),
        relay,
        async [Symbol.asyncDispose]() {
          await connected[Symbol.asyncDispose]();
          await relay[Symbol.asyncDispose]();
        },
      };
    },
    strike: (runName, how) => strike(engine, objectName(runName), how),
    leftovers: (runId) => leftovers(engine, runId),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Resolves when the container has ended of it: what a run has done before then, it has done. */
async function strike({ view }: Engine, container: string, how: string): Promise<boolean> {
  const isRunning = async (): Promise<boolean> =>
    (await view.container(container))?.State.Status === 'running';
  if (!(await isRunning())) return false;
  if (how === 'kill') await view.kill(container);
  else if (how === 'remove') await view.remove(container);
  else await view.startExec(container, hog);
  return await eventually('the struck container has ended', async () =>
    (await isRunning()) ? undefined : true,
  );
}

async function leftovers({ view }: Engine, runId: string): Promise<string[]> {
  const isOf = ({
    Labels: labels,
  }: {
    readonly Labels?: Readonly<Record<string, string>> | null | undefined;
  }) => Object.values(labels ?? {}).includes(runId);
  return [
    ...(await view.containers()).filter(isOf).map(({ Names: names }) => `container ${names[0]}`),
    ...(await view.networks()).filter(isOf).map(({ Name: name }) => `network ${name}`),
  ];
}
