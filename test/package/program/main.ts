// A user's program: a workflow on an executor of its own.
import type { Executor, RunEvent, RunResult, Sandbox } from 'knotless-runner-k8s';
import {
  CancelSource,
  createKubernetesExecutor,
  parseStepsTsv,
  runWorkflow,
  systemClock,
} from 'knotless-runner-k8s';

const place = { kind: 'container', name: 'here', id: null } as const;
const sandbox: Sandbox = {
  place,
  send: async () => {},
  runStep: async (step, output) => {
    await output(new TextEncoder().encode(`${step.name}\n`));
    return { kind: 'exited', exitCode: 0, usage: { cpuMs: null, peakMemoryBytes: null, oomKilled: false } };
  },
  fetch: async () => {
    throw new Error('nothing is fetched');
  },
  close: async () => ({ deleted: true, kept: false, leftover: null }),
};
const executor: Executor = { open: async () => sandbox, adopt: async () => sandbox };

const seen: string[] = [];
const result: RunResult = await runWorkflow({
  run: { name: 'library', runner: undefined },
  workflow: parseStepsTsv(new TextEncoder().encode('one\ttrue\n'), 'steps.tsv'),
  image: 'busybox:1.36',
  executor,
  secrets: {},
  environment: {},
  limits: { timeoutMs: 60_000, readyMs: 60_000, orphanMs: 600_000, graceMs: 5_000 },
  keep: false,
  onEvent: (event: RunEvent) => {
    if (event.type === 'step-finished') seen.push(event.step);
  },
  cancel: new CancelSource(),
  clock: systemClock(),
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
const factory: typeof createKubernetesExecutor = createKubernetesExecutor;
console.log(`${result.status}: ${seen.join(', ')}${typeof factory === 'function' ? '' : '?'}`);
