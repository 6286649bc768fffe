import { expect, test } from 'vitest';
import { connectToEngine } from '../../src/engine/connect-to-engine.ts';
import { removeContainer } from '../../src/executor/docker/remove-container.ts';
import { good, options, StandInEngines } from './stand-in-engines.ts';

const { signal } = new AbortController();

/** Refuses the removal with these words; what else it was asked is told. */
async function removing(words: string): Promise<{ asked: string[]; removed: Promise<void> }> {
  const asked: string[] = [];
  await using engines = await StandInEngines.open();
  const address = await engines.engineThat(good, ({ method, url = '' }, response) => {
    asked.push(`${method} ${url.replace(/^\/v[\d.]+/, '')}`);
    if (method === 'DELETE') response.writeHead(409).end(JSON.stringify({ message: words }));
    else response.end('{}');
  });
  await using engine = await connectToEngine([address], options);
  const removed = removeContainer(engine.api, 'abcdef012345', signal);
  await removed.catch(() => {});
  return { asked, removed };
}

test('a container that somebody else is removing already is waited for', async () => {
  const { asked, removed } = await removing('removal of container abcdef012345 is already in progress');
  await removed;
  expect(asked.at(-1)).toBe('POST /containers/abcdef012345/wait?condition=removed');
});

test('any other conflict is told', async () => {
  const { asked, removed } = await removing('the disk says no');
  await expect(removed).rejects.toMatchObject({
    code: 'Conflict',
    message: expect.stringContaining('the disk says no'),
  });
  expect(asked.some((call) => call.includes('/wait'))).toBe(false);
});
