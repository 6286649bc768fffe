import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { CancelSource } from '../../src/run/cancel-source.ts';
import type { RunEvent } from '../../src/run/event-schema.ts';
import type { RunResult } from '../../src/run/result-schema.ts';
import { runWorkflow } from '../../src/run/run-workflow.ts';
import type { Ground } from './ground.ts';
import type { RunPlan } from './plan.ts';
import { checkoutNumbers } from './planned-steps.ts';
import { Weather } from './weather.ts';

/** A run that takes longer hangs. */
const longestRunMs = 300_000;

export interface Surroundings {
  readonly seed: number;
  readonly ground: Ground;
}

/** What one run did, as seen from outside. */
export interface ObservedRun {
  readonly plan: RunPlan;
  readonly result: RunResult;
  /** The bytes of each step, cut out of the log file as the result says. */
  readonly logs: readonly Buffer[];
  /** The lines of /outputs/ran, or null where it did not come. */
  readonly ran: readonly string[] | null;
  /** Whether the place was taken away, … */
  readonly isStruck: boolean;
  /** … and before the last step had ended. */
  readonly struckInTime: boolean;
  readonly hung: boolean;
  readonly leftovers: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  readonly traces: readonly string[];
}

export async function observeRun(plan: RunPlan, surroundings: Surroundings): Promise<ObservedRun> {
  const folder = await mkdtemp(join(tmpdir(), 'knotless-drill-'));
  try {
    return await observeIn(folder, plan, surroundings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function observeIn(
  folder: string,
  plan: RunPlan,
  { seed, ground }: Surroundings,
): Promise<ObservedRun> {
  const clock = systemClock();
  const began = clock.now();
  const traces: string[] = [];
  const trace = (message: string): void => {
    traces.push(`${((clock.now() - began) / 1000).toFixed(2)} ${message}`);
  };
  const checkout = join(folder, 'checkout');
  await mkdir(checkout);
  await writeFile(join(checkout, 'numbers'), checkoutNumbers);
  await writeFile(join(checkout, 'noise'), randomBytes(300_000));
  const name = `drill ${seed} ${plan.number} ${randomBytes(4).toString('hex')}`;
  await using road = await ground.openRoad({ folder, compress: plan.compress, trace });
  const { relay } = road;
  await using weather = new Weather(relay, (how) => ground.strike(name, how), plan.faults, trace);
  const cancel = new CancelSource();
  let struckInTime = false;
  let ended = 0;
  const onEvent = (event: RunEvent): void => {
    if (event.type !== 'log' && event.type !== 'transfer') trace(shortened(event));
    if (event.type === 'step-started') weather.stepBegins(event.index);
    if (event.type === 'step-finished' && ++ended === plan.steps.length) struckInTime = weather.lightning;
    if (event.type === 'phase' && event.phase === 'cleanup' && ended < plan.steps.length)
      struckInTime = weather.lightning;
  };
  const watchdog = setTimeout(() => {
    for (let level = 0; level < 3; level++) cancel.cancel('elsewhere');
  }, longestRunMs);
  const result = await runWorkflow({
    run: { name, runner: 'did:example:drill' },
    workflow: {
      image: undefined,
      environment: {},
      timeoutMs: undefined,
      resources: { cpu: undefined, memory: undefined },
      steps: plan.steps.map(({ step }) => step),
    },
    image: 'busybox:1.36',
    executor: road.executor,
    checkout: { folder: checkout, files: 'all', exclude: [] },
    outputs: { folder: join(folder, 'outputs'), collect: [], maxBytes: 1e9, maxFiles: 1e4 },
    secrets: {},
    environment: {},
    limits: { timeoutMs: longestRunMs, readyMs: 120_000, orphanMs: 120_000, graceMs: 1_000 },
    keep: false,
    log: { kind: 'file', path: join(folder, 'log') },
    onEvent,
    onTrace: trace,
    cancel,
    clock,
    random: randomBytes,
  });
  clearTimeout(watchdog);
  const log = await readFile(join(folder, 'log'));
  return {
    plan,
    result,
    logs: result.steps.map(({ log: part }) =>
      part ? log.subarray(part.offset, part.offset + part.bytes) : Buffer.alloc(0),
    ),
    ran: await linesOf(join(folder, 'outputs', 'ran')),
    isStruck: weather.struck.size > 0,
    struckInTime,
    hung: cancel.cause !== null,
    leftovers: await ground.leftovers(result.run.id),
    faults: new Map([...relay.applied, ...weather.struck]),
    traces,
  };
}

async function linesOf(file: string): Promise<string[] | null> {
  try {
    return (await readFile(file, 'utf8')).trimEnd().split('\n');
  } catch {
    return null;
  }
}

const shortened = (event: RunEvent): string => `event ${JSON.stringify(event).slice(0, 300)}`;
