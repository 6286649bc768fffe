import { expect, it } from 'vitest';
import type { OpenRequest } from '../../src/executor/executor.ts';
import { describeIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { type Refusal, refusedBy } from './refused.ts';
import type { SandboxSettings, Venue } from './venue.ts';

/** How an image that cannot be run is told of: soon, in the place's own words, with nothing left behind. */
export function refusalsContract(venue: Venue): void {
  async function refused(request: OpenRequest, settings: SandboxSettings = {}): Promise<Refusal> {
    const refusal = await refusedBy(venue.executor(settings), request);
    const place = refusal.observer.places.at(-1);
    if (place) expect(await venue.remains(place.name)).toEqual([]);
    return refusal;
  }

  it.concurrent('refuses a name that is none', async () => {
    const { error, ms } = await refused(openRequest({ image: 'UPPER/CASE' }));
    expect(error.code).toBe('InvalidImage');
    expect(error.message).toContain('UPPER/CASE');
    expect(ms).toBeLessThan(30_000);
  });

  const images: readonly (readonly [string, string, RegExp])[] = [
    ['realk8s/no-shell:1', 'UnsuitableImage', /\bsh\b/],
    ['realk8s/no-tar:1', 'UnsuitableImage', /\btar\b/],
  ];
  for (const [image, code, message] of images) {
    describeIfAble(venue.can.image(image), image, () => {
      it.concurrent('is refused in one line that names what it lacks', async () => {
        const { error, ms } = await refused(openRequest({ image }));
        expect(error.code).toBe(code);
        expect(error.message).toMatch(message);
        expect(error.message).not.toContain('\n');
        expect(ms).toBeLessThan(30_000);
      });
    });
  }

  describeIfAble(venue.can.pulls, 'an image that cannot be had', () => {
    it.concurrent('ends soon where nothing may be pulled', async () => {
      const { error, ms } = await refused(openRequest({ image: 'busybox:no-such-tag' }), { pull: 'never' });
      expect(error.code).toBe('ImagePull');
      expect(error.message).toContain('busybox:no-such-tag');
      expect(ms).toBeLessThan(60_000);
    });

    it.concurrent('ends within about a minute with what the registry or the road there said', async () => {
      const { error, ms } = await refused(
        openRequest({
          image: 'registry.invalid/no/such:1',
          limits: { ...openRequest().limits, readyMs: 85_000 },
        }),
      );
      expect(error.code).toBe('ImagePull');
      expect(error.message).toContain('registry.invalid');
      expect(ms).toBeLessThan(80_000);
    });
  });
}
