import { randomUUID } from 'node:crypto';
import { bareExec } from '../contenders/bare-exec.ts';
import { clientNodeExec } from '../contenders/client-node-exec.ts';
import { kubectlExec } from '../contenders/kubectl.ts';
import { type OpenPlace, type OpenSandbox, openPlace } from '../contenders/own-executor.ts';
import { ours, type Row, type Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns, shareOf, timed } from '../turns.ts';
import type { Measure } from './measure.ts';

const apartMs = 60;
const spacedSteps = 5;
const closeSteps = 10;

/** What a step costs that does nothing: `true`, all in one pod. */
export const steps: Measure = {
  name: 'steps',
  async run(stage) {
    await using place = await openPlace(stage);
    return await stepRows(stage, waysToRunTrue(stage, place));
  },
};

/** The two rows of a step that does nothing, by these ways. */
export async function stepRows(stage: Timing, ways: Readonly<Record<string, Once>>): Promise<Row[]> {
  const contenders = Object.entries(ways);
  const spaced = contenders.map(([name, once]) => ({ name, turn: () => spacedTurn(stage, once) }));
  const close = contenders.map(([name, once]) => ({ name, turn: () => closeTurn(once) }));
  const rounds = { count: stage.rounds(6), warmUp: true };
  const spacedRow: Row = {
    id: 'step-spaced',
    title: `a step that does nothing, ${apartMs} ms after the one before`,
    series: await inTurns(stage, { name: 'steps apart', ...rounds }, spaced),
  };
  const closeRow: Row = {
    id: 'step-back-to-back',
    title: 'a step that does nothing, back to back',
    series: await inTurns(stage, { name: 'steps back to back', ...rounds }, close),
  };
  return [spacedRow, closeRow];
}

type Once = () => Promise<Sample>;
type Timing = Pick<Stage, 'clock' | 'signal' | 'progress' | 'rounds'>;

function waysToRunTrue(stage: Stage, place: OpenPlace): Record<string, Once> {
  const byClientNode = clientNodeExec(stage);
  const { address } = place;
  return {
    [ours]: ownTrue(stage, place),
    'bare WebSocket': () => timed(() => bareExec(stage.bare, address, ['true'])),
    'client-node': () => timed(() => byClientNode(address, ['true'])),
    kubectl: () => kubectlExec(stage, address, ['true']),
  };
}

/** A step of this program's that does nothing, as often as it is asked for. */
export function ownTrue({ signal }: Pick<Stage, 'signal'>, { sandbox }: OpenSandbox): Once {
  let index = 0;
  const step = async (): Promise<void> => {
    const request = {
      index: index++,
      nonce: randomUUID().replaceAll('-', ''),
      name: 'true',
      command: 'true',
      environment: {},
      secrets: {},
      following: 2,
    };
    const never = new AbortController().signal;
    const verdict = await sandbox.runStep(request, () => {}, { stop: never, abandon: signal });
    if (verdict.exitCode !== 0) throw new Error(`the step ended with ${verdict.exitCode}`);
  };
  return () => timed(step);
}

async function spacedTurn(stage: Timing, once: Once): Promise<Sample> {
  const samples: Sample[] = [];
  for (let count = 0; count < spacedSteps; count++) {
    await stage.clock.sleep(apartMs, stage.signal);
    samples.push(await once());
  }
  return meanOf(samples);
}

async function closeTurn(once: Once): Promise<Sample> {
  const samples: Sample[] = [];
  const began = performance.now();
  for (let count = 0; count < closeSteps; count++) samples.push(await once());
  const ms = performance.now() - began;
  return { ...meanOf(samples), ms: ms / closeSteps };
}

const meanOf = (samples: readonly Sample[]): Sample =>
  shareOf(
    {
      ms: samples.reduce((sum, { ms }) => sum + ms, 0),
      cpuMs: samples.reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0),
    },
    samples.length,
  );
