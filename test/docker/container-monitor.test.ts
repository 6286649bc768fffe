import { once } from 'node:events';
import { expect, test } from 'vitest';
import { connectToEngine } from '../../src/engine/connect-to-engine.ts';
import { ContainerMonitor } from '../../src/executor/docker/container-monitor.ts';
import { good, options, StandInEngines, targetOf } from './stand-in-engines.ts';

const id = 'abcdef012345';
const running = { Status: 'running', Running: true };
const ended = { Status: 'exited', Running: false, ExitCode: 137 };

test.each([
  ['which it outlived is not why it ended later', ['away', running, ended, ended], 'PodFailed'],
  ['after which it did not run any more is why it ended', ['away', ended, ended], 'NodeLost'],
] as const)('an absence of the engine %s', async (_, sights, code) => {
  await using engines = await StandInEngines.open();
  const looks = sights.slice(0, -1); // the end is looked at twice
  let seen = 0;
  const address = await engines.engineThat(good, ({ url = '' }, response) => {
    if (url.includes('/events')) {
      for (const _look of looks) response.write('{"Action":"oom"}\n'); // each has it looked at
      return;
    }
    const State = sights[Math.min(seen++, sights.length - 1)];
    if (State === 'away') response.destroy();
    else response.end(JSON.stringify({ Id: id, State, Config: {} }));
  });
  await using engine = await connectToEngine([address], options);
  await using monitor = new ContainerMonitor(targetOf(engine.api).target, id, () => {});
  await once(monitor.lost, 'abort');
  expect(monitor.lost.reason).toMatchObject({ code });
});
