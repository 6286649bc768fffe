import { afterAll } from 'vitest';
import { describeIfAble } from '../contract/needs.ts';
import type { Venue } from '../contract/venue.ts';
import { startDockerEngine } from './docker-engine.ts';
import { dockerVenue } from './docker-venue.ts';
import type { Engine } from './engine.ts';
import { kitImages, kitImagesFolder } from './kit-images.ts';
import { startPodmanEngine } from './podman-engine.ts';
import { abilityToRun } from './usable.ts';

const kinds = {
  docker: { program: 'dockerd', start: startDockerEngine },
  podman: { program: 'podman', start: startPodmanEngine },
} as const;

/** Tests on an engine of this file's own, with all the images of the kit; skipped where none can be started. */
export async function onEngine(
  kind: keyof typeof kinds,
  body: (venue: Venue, engine: Engine) => void,
): Promise<void> {
  const { program, start } = kinds[kind];
  const ability = await abilityToRun(program);
  if ('unable' in ability) return describeIfAble(ability, kind, () => {});
  const engine = await start(await kitImages(kitImagesFolder(process.env)));
  afterAll(() => engine[Symbol.asyncDispose]());
  const venue = await dockerVenue(engine);
  describeIfAble(ability, kind, () => body(venue, engine));
}
