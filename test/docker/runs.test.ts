import { expect, it } from 'vitest';
import {
  answeredName,
  answerIn,
  cancelledName,
  cancellerIn,
  plainName,
} from '../../src/executor/docker/cancel-note.ts';
import { labels } from '../../src/executor/docker/run-labels.ts';
import { findLeftovers } from '../../src/executor/docker/runs/leftovers.ts';
import type { RunContainer, RunNetwork } from '../../src/executor/docker/runs/run-objects.ts';
import { summarize } from '../../src/executor/docker/runs/run-summary.ts';

const now = new Date('2026-01-02T12:00:00Z');
const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);

const container = (
  run: string,
  state: string,
  { minutes = 1, name = `/knotless-${run}` } = {},
): RunContainer => ({
  Id: Buffer.from(run.padEnd(12, '-')).toString('hex'),
  Names: [name],
  State: state,
  Labels: { [labels.id]: run, [labels.name]: `the run ${run}` },
  Created: minutesAgo(minutes).getTime() / 1000,
});

const network = (run: string, minutes = 1): RunNetwork => ({
  Id: Buffer.from(run.padEnd(12, '+')).toString('hex'),
  Name: `knotless-${run}`,
  Labels: { [labels.id]: run },
  Created: minutesAgo(minutes).toISOString(),
});

function leftOver(containers: readonly RunContainer[], networks: readonly RunNetwork[] = []): string[] {
  const ended = { Running: false, ExitCode: 75 };
  const runs = containers.map((one) => summarize(one, one.State === 'exited' ? ended : undefined));
  return findLeftovers({ now, networks, containers, runs }).map(({ kind, name }) => `${kind} ${name}`);
}

it('leaves alone what a run goes on in, or is about to', () => {
  for (const state of [
    'running',
    'paused',
    'restarting',
    'removing',
    'created',
    'configured',
    'what is new',
  ]) {
    expect(leftOver([container('a', state)], [network('a', 60)])).toEqual([]);
  }
  expect(leftOver([], [network('b')])).toEqual([]);
});

it('finds what has ended, with its network', () => {
  expect(
    leftOver([container('a', 'exited'), container('b', 'running')], [network('a'), network('b')]),
  ).toEqual(['container knotless-a', 'network knotless-a']);
});

it('finds what a runner that died has only begun, once no live one takes so long', () => {
  const lost = container('a', 'created', { minutes: 11 });
  expect(leftOver([lost], [network('a', 11), network('b', 11), network('c', 9)])).toEqual([
    'container knotless-a',
    'network knotless-a',
    'network knotless-b',
  ]);
});

it('says of a cancelled run who cancels it, until its container has ended', () => {
  const name = `/${cancelledName('knotless-a', 'ada@laptop ünd\n')}`;
  expect(cancellerIn(name)).toBe('ada@laptop ünd\n');
  expect(name).toMatch(/^\/[a-zA-Z0-9][a-zA-Z0-9_.-]+$/); // the names that an engine takes
  expect(plainName(name)).toBe('knotless-a');
  expect(answerIn(name)).toBeUndefined();
  const answered = answeredName(name, 94);
  expect([answerIn(answered), cancellerIn(answered), plainName(answered)]).toEqual([
    '94',
    'ada@laptop ünd\n',
    'knotless-a',
  ]);
  expect(answered).toMatch(/^\/[a-zA-Z0-9][a-zA-Z0-9_.-]+$/);
  expect(summarize(container('a', 'running', { name }), undefined)).toMatchObject({
    container: 'knotless-a',
    status: 'Ending',
    reason: 'Cancelled',
  });
  expect(leftOver([container('a', 'exited', { name })])).toEqual(['container knotless-a']);
});
