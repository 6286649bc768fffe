import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RunFixture, step } from './support/run-fixture.ts';

test('300 MB of log leave the memory flat and arrive whole', async () => {
  using fixture = new RunFixture();
  const megabytes = 300;
  const resident = (): number => process.memoryUsage().rss / 1024 ** 2;
  const before = resident();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, resident());
  }, 20);
  const line = 'a line of the log that is as long as lines of logs often are: 0123456789 €';
  const result = await fixture.run([step('chatty', `yes '${line}' | head -c ${megabytes * 1024 ** 2}`)], {
    secrets: { TOKEN: 'hunter2-and-more', KEY: 'a line that never comes' },
    onEvent: undefined,
  });
  clearInterval(timer);
  expect(result).toMatchObject({ status: 'success', steps: [{ log: { bytes: megabytes * 1024 ** 2 } }] });
  expect(statSync(fixture.path('events/events.jsonl')).size).toBeGreaterThan(megabytes * 1024 ** 2);
  expect(highest - before).toBeLessThan(120);
});
