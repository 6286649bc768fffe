import { expect, test } from 'vitest';
import { ControlChannel } from '../../src/executor/step-protocol/control-channel.ts';
import type { PodPort, ReachedPort } from '../../src/executor/step-protocol/pod-port.ts';
import { Reach } from '../../src/executor/step-protocol/reach.ts';
import { LocalPod } from './local-pod.ts';

const reached = (port: PodPort): ReachedPort => ({ ...port, reach: new Reach(port, () => {}) });

test('what was opened outlives the signal of its opening: a cancelled run still stops its step by it', async () => {
  await using pod = await LocalPod.start({ shell: 'dash' });
  const { port } = pod;
  const signals: AbortSignal[] = [];
  const exec: typeof port.exec = (argv, signal) => {
    signals.push(signal);
    return port.exec(argv, signal);
  };
  const opening = new AbortController();
  await using _channel = await ControlChannel.open(reached({ ...port, exec }), opening.signal);
  opening.abort();
  expect(signals.at(-1)?.aborted).toBe(false);
});

test('an opening that is given up rejects with the reason', async () => {
  await using pod = await LocalPod.start({ shell: 'dash', without: ['cat'] }); // its programs are never written
  const reason = new Error('given up');
  const opening = new AbortController();
  const channel = ControlChannel.open(reached(pod.port), opening.signal);
  opening.abort(reason);
  await expect(channel).rejects.toBe(reason);
});
