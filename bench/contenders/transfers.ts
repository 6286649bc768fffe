import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { unpackOutputs } from '../../src/archive/unpack-outputs.ts';
import { placeOfOutput } from '../../src/run/output-paths.ts';
import { Child, stdinOf } from '../child.ts';
import { ours, type Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import { timed } from '../turns.ts';
import { bareExec } from './bare-exec.ts';
import { clientNodeExec } from './client-node-exec.ts';
import { kubectlScript } from './kubectl.ts';
import type { OpenPlace, OpenSandbox } from './own-executor.ts';

/** How a tree comes from a folder here to `/work`, and from `/outputs` to a folder here. */
export interface Way {
  readonly name: string;
  send(folder: string): Promise<Sample>;
  fetch(folder: string): Promise<Sample>;
}

const unpackInPod = ['tar', '-C', '/work', '-xf', '-'];
const packInPod = ['tar', '-C', '/outputs', '-cf', '-', '.'];

export const waysOfTransfer = (stage: Stage, place: OpenPlace): readonly Way[] => [
  ownWay(stage, place),
  bareWay(stage, place),
  clientNodeWay(stage, place),
  kubectlWay(stage, place),
];

export function ownWay({ signal }: Pick<Stage, 'signal'>, { sandbox }: OpenSandbox): Way {
  const transfer = { progress: () => {} };
  const warn = (message: string): never => {
    throw new Error(message);
  };
  return {
    name: ours,
    send: (folder) =>
      timed(async () => {
        const listing = await listTree(folder, { files: 'all', exclude: [], signal });
        await sandbox.send(
          packTrees([{ listing, target: 'work', executable: false }], warn),
          transfer,
          signal,
        );
      }),
    fetch: (destination) =>
      timed(async () => {
        const { bytes, lastEntry, outcome } = await sandbox.fetch(['/outputs'], transfer, signal);
        const limits = { maxBytes: 1e10, maxFiles: 1e6 };
        await unpackOutputs(bytes, { destination, lastEntry, place: placeOfOutput, limits, warn, signal });
        const { failure } = await outcome;
        if (failure !== null) throw new Error(failure);
      }),
  };
}

function bareWay(stage: Stage, { address }: OpenPlace): Way {
  return {
    name: 'bare WebSocket',
    send: (folder) =>
      besideTar(packed(stage, folder), (tar) =>
        bareExec(stage.bare, address, unpackInPod, { stdin: outputOf(tar) }),
      ),
    fetch: (folder) =>
      besideTar(unpacking(stage, folder), async (tar) => {
        const stdin = stdinOf(tar);
        await bareExec(stage.bare, address, packInPod, {
          stdout: (bytes) => (stdin.write(bytes) ? undefined : once(stdin, 'drain').then(() => {})),
        });
        stdin.end();
      }),
  };
}

function clientNodeWay(stage: Stage, { address }: OpenPlace): Way {
  const exec = clientNodeExec(stage);
  return {
    name: 'client-node',
    send: (folder) =>
      besideTar(packed(stage, folder), (tar) => exec(address, unpackInPod, { stdin: outputOf(tar) })),
    fetch: (folder) =>
      besideTar(unpacking(stage, folder), async (tar) => {
        await exec(address, packInPod, { stdout: stdinOf(tar) });
        stdinOf(tar).end();
      }),
  };
}

function kubectlWay(stage: Stage, { address: { pod, container } }: OpenPlace): Way {
  const send = `tar -C "$1" -cf - . | k exec -i "$2" -c "$3" -- ${unpackInPod.join(' ')}`;
  const fetch = `k exec "$2" -c "$3" -- ${packInPod.join(' ')} | tar -C "$1" -xf -`;
  return {
    name: 'kubectl',
    send: (folder) => kubectlScript(stage, send, [folder, pod, container]).ended,
    fetch: (folder) => kubectlScript(stage, fetch, [folder, pod, container]).ended,
  };
}

const packed = ({ signal }: Stage, folder: string): Child =>
  new Child(['tar', '-C', folder, '-cf', '-', '.'], { stdout: 'pipe', signal });

const unpacking = ({ signal }: Stage, folder: string): Child =>
  new Child(['tar', '-C', folder, '-xf', '-'], { stdin: 'pipe', signal });

/** Until both the transfer and the tar at this end are through; the CPU time is that of both. */
async function besideTar(tar: Child, transfer: (tar: Child) => Promise<void>): Promise<Sample> {
  let ofTar = 0;
  const { ms, cpuMs = 0 } = await timed(async () => {
    await transfer(tar);
    ofTar = (await tar.ended).cpuMs ?? 0;
  });
  return { ms, cpuMs: cpuMs + ofTar };
}

function outputOf({ process: { stdout } }: Child): Readable {
  if (!stdout) throw new Error('this child has no stdout');
  return stdout;
}
