import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../child.ts';
import { endsOnTerm } from '../contenders/ends-on-term.ts';
import { kubectlScript } from '../contenders/kubectl.ts';
import { ours, type Row, type Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns } from '../turns.ts';
import type { Measure } from './measure.ts';

/** Whole runs with a small checkout and a small output: the command against a script that does the same. */
export const runs: Measure = {
  name: 'runs',
  async run(stage) {
    const rows: Row[] = [];
    for (const count of [1, 10, 100]) rows.push(await runOf(stage, count));
    return rows;
  },
};

async function runOf(stage: Stage, steps: number): Promise<Row> {
  const folder = await stage.folder(`run-${steps}`);
  const checkout = join(folder, 'checkout');
  await mkdir(checkout);
  await writeFile(join(checkout, 'README.md'), 'a small checkout\n');
  const stepsFile = join(folder, 'steps.tsv');
  const lines = Array.from(
    { length: steps },
    (_, index) => `step ${index}\t${index === 0 ? makesOutput : 'true'}\n`,
  );
  await writeFile(stepsFile, lines.join(''));
  const fresh = async (turn: (outputs: string) => Promise<Sample>): Promise<Sample> => {
    const outputs = join(folder, 'outputs');
    await rm(outputs, { recursive: true, force: true });
    await mkdir(outputs);
    return turn(outputs);
  };
  const contenders = [
    { name: ours, turn: () => fresh((outputs) => command(stage, { folder, checkout, stepsFile, outputs })) },
    {
      name: 'kubectl script',
      turn: () => fresh((outputs) => script(stage, { folder, checkout, steps, outputs })),
    },
  ];
  const rounds = { name: `run of ${steps}`, count: stage.rounds(3) };
  return {
    id: `run-${steps}`,
    title: `a run of ${steps} step${steps === 1 ? '' : 's'} that do${steps === 1 ? 'es' : ''} nothing, whole`,
    series: await inTurns(stage, rounds, contenders),
  };
}

const makesOutput = 'cp README.md /outputs/';

interface CommandFiles {
  readonly folder: string;
  readonly checkout: string;
  readonly stepsFile: string;
  readonly outputs: string;
}

function command(stage: Stage, { folder, checkout, stepsFile, outputs }: CommandFiles): Promise<Sample> {
  const flags = [
    ...['run', '--name', `bench ${randomUUID()}`, '--image', stage.image, '--quiet'],
    ...['--kubeconfig', stage.kubeconfig, '--namespace', stage.namespace],
    ...['--workdir', checkout, '--steps-file', stepsFile, '--outputs', outputs],
    ...['--log', join(folder, 'run.log'), '--result', join(folder, 'result.json')],
  ];
  return runChild([process.execPath, stage.command, ...flags], {
    environment: { XDG_STATE_HOME: folder },
    signal: stage.signal,
  });
}

interface ScriptFiles {
  readonly folder: string;
  readonly checkout: string;
  readonly steps: number;
  readonly outputs: string;
}

const shellScript = `
pod=$1 manifest=$2 checkout=$3 outputs=$4 steps=$5 log=$6
k apply -f "$manifest" >/dev/null
k wait --for=condition=Ready "pod/$pod" --timeout=60s >/dev/null
tar -C "$checkout" -cf - . | k exec -i "$pod" -- tar -C /work -xf -
k exec "$pod" -- sh -c 'cd /work && ${makesOutput}' >"$log"
step=1
while [ "$step" -lt "$steps" ]; do
  k exec "$pod" -- sh -c 'cd /work && true' >>"$log"
  step=$((step + 1))
done
k exec "$pod" -- tar -C /outputs -cf - . | tar -C "$outputs" -xf -
k delete "pod/$pod" --wait --timeout=60s >/dev/null
`;

/** A bare pod, which is quicker there than a Job's. */
async function script(stage: Stage, { folder, checkout, steps, outputs }: ScriptFiles): Promise<Sample> {
  const pod = `bench-${randomUUID()}`;
  const manifest = join(folder, 'pod.json');
  const container = { name: 'main', image: stage.image, command: endsOnTerm };
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod },
    spec: { restartPolicy: 'Never', containers: [container] },
  };
  await writeFile(manifest, JSON.stringify(body));
  const log = join(folder, 'script.log');
  return kubectlScript(stage, shellScript, [pod, manifest, checkout, outputs, String(steps), log]).ended;
}
