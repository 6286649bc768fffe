import { readFile } from 'node:fs/promises';
import type { ContainerPlace, Place } from '../../src/executor/executor.ts';
import { eventually } from '../contract/eventually.ts';
import { executorAt } from '../contract/executor-at.ts';
import { debian } from '../contract/images.ts';
import { type Abilities, type Ability, able, type SeenEnd, unable, type Venue } from '../contract/venue.ts';
import { startEngineRelay } from '../relay/engine-relay.ts';
import type { Engine } from './engine.ts';

/** An engine as the contract wants it. */
export async function dockerVenue(engine: Engine): Promise<Venue> {
  const { url, view } = engine;
  const address = { kind: 'docker', url } as const;

  async function end(place: Place): Promise<SeenEnd | undefined> {
    const seen = await view.container(containerOf(place).id ?? place.name);
    if (seen?.State.Status === 'running') return undefined;
    const exitCode = seen?.State.ExitCode ?? null;
    return { isFailure: exitCode !== 0, exitCode };
  }

  return {
    name: engine.name,
    usable: able,
    can: await abilitiesOf(engine),
    arguments: ['--executor', 'docker', '--engine', url],
    environment: { KNOTLESS_K8S_EXECUTOR: 'docker', DOCKER_HOST: url },
    address,
    executor: (settings) => executorAt(address, settings),
    async openRoad() {
      const relay = await startEngineRelay(url);
      return {
        faults: relay,
        arguments: ['--executor', 'docker', '--engine', relay.url],
        [Symbol.asyncDispose]: async () => await relay[Symbol.asyncDispose](),
      };
    },
    obstacles,
    remains: (name) => remains(engine, name),
    isEnding: async (place) => (await end(place)) !== undefined,
    end,
    takeAway: ({ name }) => view.remove(name),
    discard: ({ name }) => discard(engine, name),
    collect: ({ name }) => discard(engine, name),
  };
}

const never = 600_000;

const obstacles: Venue['obstacles'] = {
  'before the place is made': { do: 'delay', kind: 'get-container', ms: never, times: 1 },
  'when the place was made, before it was answered': {
    do: 'delay',
    kind: 'create-container',
    ms: never,
    times: 1,
  },
  // the first archive holds the run's folders
  'in the upload': { do: 'delay', kind: 'put-archive', skip: 1, ms: never, times: 1 },
  // no other exec has so much to tell
  'in the download': { do: 'stall', kind: 'exec', at: { bytesDown: 100_000 } },
  'in the cleanup': { do: 'delay', kind: 'delete-container', ms: never, times: 1 },
};

function containerOf(place: Place): ContainerPlace {
  if (place.kind !== 'container') throw new Error('the place is no container');
  return place;
}

async function remains({ view }: Engine, name: string): Promise<string[]> {
  const containers = (await view.containers()).flatMap(({ Names: names }) => names);
  const networks = (await view.networks()).map(({ Name }) => Name);
  return [
    ...containers.filter((one) => one.startsWith(`/${name}`)).map((one) => `container ${one}`),
    ...networks.filter((one) => one.startsWith(name)).map((one) => `network ${one}`),
  ];
}

async function discard({ view }: Engine, name: string): Promise<void> {
  await view.remove(name);
  for (const { Id, Name } of await view.networks()) if (Name === name) await view.removeNetwork(Id);
}

async function abilitiesOf({ view, record, tellsOfMemory, name }: Engine): Promise<Abilities> {
  const images = await view.images();
  const image = (wanted: string): Ability =>
    images.some((known) => known === wanted || known.endsWith(`/${wanted}`))
      ? able
      : unable(`${name} has no image ${wanted}; e2e/cluster/images.sh makes it`);
  const git = image(debian.name);
  return {
    image,
    git: 'able' in git ? { able: debian.name } : git,
    pulls: able,
    endByMemory: tellsOfMemory ? able : unable(`${name} does not tell of it on cgroup v1`),
    memoryLimit: { able: { memory: '64Mi' } },
    record: record === undefined ? unable(`${name} writes down no bodies`) : { able: recordIn(record) },
    waiting: unable('an engine has a container at once, or not at all'),
  };
}

/** The engine's log at its debug level. */
const recordIn = (log: string) => (place: Place) =>
  eventually('the removal is in the log', async () => {
    const text = await readFile(log, 'utf8');
    return new RegExp(`Calling DELETE \\S*/containers/(${containerOf(place).id}|${place.name})`).test(text)
      ? text
      : undefined;
  });
