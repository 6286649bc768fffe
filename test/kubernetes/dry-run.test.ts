import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Observer, OpenRequest, OutgoingArchive } from '../../src/executor/executor.ts';
import {
  type DryRunOptions,
  dryRunText,
  plannedCalls,
} from '../../src/executor/kubernetes/kubectl/dry-run.ts';
import { connectByKubectl } from '../../src/executor/kubernetes/kubectl/kubectl-api.ts';
import { createKubernetesExecutor } from '../../src/executor/kubernetes/kubernetes-executor.ts';
import { defaultPodSettings, type PodSettings } from '../../src/executor/kubernetes/pod-settings.ts';
import { LocalPod } from '../step-protocol/local-pod.ts';
import { openRequest } from './requests.ts';

const never = new AbortController().signal;
const silent: Observer = {
  waiting() {},
  warning() {},
  leftover() {},
  place() {},
  cancelled: () => 0,
  trace() {},
};
const empty: OutgoingArchive = packTrees([], () => {});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fake-kubectl-'));
  copyFileSync(new URL('support/fake-kubectl.mjs', import.meta.url), join(folder, 'kubectl'));
  chmodSync(join(folder, 'kubectl'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function planOf(request: OpenRequest, pod: PodSettings, rest: Partial<DryRunOptions> = {}): DryRunOptions {
  return {
    kubeconfig: undefined,
    context: undefined,
    namespace: undefined,
    request,
    pod,
    steps: 3,
    sends: true,
    fetches: true,
    ...rest,
  };
}

/** What is done every few seconds (reads behind the watches) depends on how slow the machine is. */
const withoutRepeats = (clock: Clock): Clock => ({
  ...clock,
  sleep: (ms, signal) => clock.sleep(ms >= 5_000 ? 10 * 60_000 : ms, signal),
});

interface Calls {
  /** As they were made. */
  readonly made: readonly string[];
  /** As a kubectl noted them; several at once may note in another order. */
  readonly noted: readonly string[];
}

/** Runs it for real, with a kubectl that notes how it was called. */
async function callsOfRun({
  request,
  pod: settings,
  steps,
  sends,
  fetches,
  ...scope
}: DryRunOptions): Promise<Calls> {
  await using pod = await LocalPod.start({ shell: 'dash' });
  const environment = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    FAKE_KUBECTL_FOLDER: folder,
    FAKE_POD_ROOT: pod.root,
  };
  const made: string[] = [];
  const clock = withoutRepeats(systemClock());
  await using api = await connectByKubectl({
    ...scope,
    program: 'kubectl',
    environment,
    clock,
    trace: (call) => made.push(call),
  });
  const executor = createKubernetesExecutor({ api, pod: settings, compress: 'none', clock });
  const sandbox = await executor.open(request, silent, never);
  if (sends) await sandbox.send(empty, { progress: () => {} }, never);
  for (let index = 0; index < steps; index++) {
    const step = {
      index,
      nonce: `n0nce${index}`,
      name: `s${index}`,
      command: 'sleep 0.5',
      environment: {},
      secrets: {},
      following: steps - index - 1,
    };
    await sandbox.runStep(step, () => {}, { stop: never, abandon: never });
  }
  if (fetches) {
    const archive = await sandbox.fetch(['/outputs'], { progress: () => {} }, never);
    for await (const _ of archive.bytes);
  }
  await sandbox.close(never);
  const lines = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { made, noted: lines.map((line) => ['kubectl', ...JSON.parse(line)].join(' ')) };
}

describe('the dry run', () => {
  test.each<[string, DryRunOptions]>([
    ['a whole run', planOf(openRequest(), defaultPodSettings)],
    [
      'a run that is kept, in an open network, with a context',
      planOf(
        openRequest({ keep: true }),
        { ...defaultPodSettings, network: 'open' },
        { context: 'ctx', namespace: 'ci' },
      ),
    ],
    [
      'a run without checkout and outputs',
      planOf(openRequest(), defaultPodSettings, { sends: false, fetches: false, steps: 1 }),
    ],
  ])('of %s tells every call that kubectl gets, in order', async (_, plan) => {
    const told = plannedCalls(plan).map(({ argv }) =>
      ['kubectl', ...argv].join(' ').replace('POD', 'the-pod'),
    );
    const { made, noted } = await callsOfRun(plan);
    expect(made).toEqual(told);
    expect([...noted].sort()).toEqual([...told].sort());
  });

  test('prints the manifest and each call, and no secret', () => {
    const plan = planOf(openRequest({ secretNames: ['TOKEN'] }), defaultPodSettings);
    const text = dryRunText(plan, 'kubectl', (value) => JSON.stringify(value));
    expect(text).toContain('"kind":"Job"');
    expect(text.match(/^kubectl /gm)).toHaveLength(plannedCalls(plan).length);
  });
});
