import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { bareExec } from '../contenders/bare-exec.ts';
import { clientNodeExec } from '../contenders/client-node-exec.ts';
import { kubectlScript } from '../contenders/kubectl.ts';
import { type OpenPlace, openPlace } from '../contenders/own-executor.ts';
import { ours } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns, timed } from '../turns.ts';
import type { Measure } from './measure.ts';

const bytes = 100_000_000;
const line =
  'a line of a log that is as long as such lines are, more or less: it has about a hundred characters';
const prints = `yes '${line}' | head -c ${bytes}`;

/** A step that prints more than anybody reads. */
export const printing: Measure = {
  name: 'printing',
  async run(stage) {
    await using place = await openPlace(stage);
    const rounds = { name: 'printing', count: stage.rounds(3) };
    const title = `a step that prints ${bytes / 1e6} MB`;
    return [{ id: 'printing', title, series: await inTurns(stage, rounds, contendersOf(stage, place)) }];
  },
};

function contendersOf(stage: Stage, { sandbox, address }: OpenPlace) {
  const byClientNode = clientNodeExec(stage);
  const command = ['sh', '-c', prints];
  let index = 0;
  return [
    {
      name: ours,
      turn: () =>
        counted(async (count) => {
          const step = {
            index: index++,
            nonce: randomUUID().replaceAll('-', ''),
            name: 'prints',
            command: prints,
            environment: {},
            secrets: {},
            following: 1,
          };
          await sandbox.runStep(step, count, { stop: new AbortController().signal, abandon: stage.signal });
        }),
    },
    {
      name: 'bare WebSocket',
      turn: () => counted((count) => bareExec(stage.bare, address, command, { stdout: count })),
    },
    {
      name: 'client-node',
      turn: () =>
        counted((count) => {
          const stdout = new Writable({
            write(chunk: Buffer, _encoding, done) {
              count(chunk);
              done();
            },
          });
          return byClientNode(address, command, { stdout });
        }),
    },
    {
      name: 'kubectl',
      turn: () => {
        const script = `[ "$(k exec "$1" -c "$2" -- sh -c "$3" | wc -c)" -eq ${bytes} ]`;
        return kubectlScript(stage, script, [address.pod, address.container, prints]).ended;
      },
    },
  ];
}

function counted(work: (count: (chunk: Uint8Array) => void) => Promise<void>) {
  return timed(async () => {
    let came = 0;
    await work(({ length }) => {
      came += length;
    });
    if (came !== bytes) throw new Error(`${came} bytes came`);
  });
}
