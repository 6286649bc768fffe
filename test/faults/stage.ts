import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterHand } from '../../e2e/drill/cluster-hand.ts';
import { openExecutor } from '../../e2e/drill/executor.ts';
import { type Relay, startRelay } from '../../e2e/relay/relay.ts';
import type { Rule } from '../../e2e/relay/rules.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import type { Compression } from '../../src/executor/step-protocol/packing.ts';
import { CancelSource } from '../../src/run/cancel-source.ts';
import type { RunEvent } from '../../src/run/event-schema.ts';
import type { RunResult } from '../../src/run/result-schema.ts';
import type { RunRequest } from '../../src/run/run-request.ts';
import { runWorkflow } from '../../src/run/run-workflow.ts';

const namespace = 'default';

export interface StagedRun {
  readonly result: RunResult;
  readonly log: Buffer;
  /** The step's own bytes, cut out of the log file. */
  readonly logOf: (step: number) => string;
  readonly leftovers: readonly string[];
  readonly relay: Relay;
  readonly traces: readonly string[];
}

export interface Staging {
  readonly rules?: readonly Rule[];
  readonly clock?: Clock;
  readonly compress?: Compression;
  readonly request?: (folder: string) => Partial<RunRequest>;
  /** Puts into the run's folder what it needs. */
  readonly before?: (folder: string) => Promise<void>;
  /** Hears the run's events, and may then do something to the relay. */
  readonly onEvent?: (event: RunEvent, relay: Relay) => void;
}

/** An embedded cluster, and runs in it that go through a relay each. */
export class Stage implements AsyncDisposable {
  readonly #folder: string;
  readonly #cluster: EmbeddedCluster;
  readonly #hand: ClusterHand;

  private constructor(folder: string, cluster: EmbeddedCluster) {
    this.#folder = folder;
    this.#cluster = cluster;
    this.#hand = new ClusterHand(cluster.kubeconfigPath, namespace);
  }

  static async open(options: Partial<Parameters<typeof startEmbeddedCluster>[0]> = {}): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'knotless-faults-'));
    const cluster = await startEmbeddedCluster({
      folder: join(folder, 'cluster'),
      clock: systemClock(),
      ...options,
    });
    return new Stage(folder, cluster);
  }

  async run(commands: readonly string[], staging: Staging = {}): Promise<StagedRun> {
    const folder = await mkdtemp(join(this.#folder, 'run-'));
    const { clock = systemClock() } = staging;
    const traces: string[] = [];
    await staging.before?.(folder);
    await using relay = await startRelay({
      kubeconfig: this.#cluster.kubeconfigPath,
      folder,
      rules: staging.rules ?? [],
    });
    const { kubeconfig } = relay;
    const trace = (message: string): void => void traces.push(message);
    await using road = await openExecutor({
      kubeconfig,
      namespace,
      transport: 'api',
      compress: staging.compress ?? 'none',
      clock,
      trace,
    });
    const result = await runWorkflow({
      run: { name: folder, runner: undefined },
      workflow: {
        image: undefined,
        environment: {},
        timeoutMs: undefined,
        resources: { cpu: undefined, memory: undefined },
        steps: commands.map((command, index) => ({
          name: `step-${index}`,
          command,
          environment: {},
          secrets: 'all',
          timeoutMs: undefined,
          continueOnError: false,
          always: false,
        })),
      },
      image: 'busybox:1.36',
      executor: road.executor,
      secrets: {},
      environment: {},
      limits: { timeoutMs: 60_000, readyMs: 60_000, orphanMs: 120_000, graceMs: 500 },
      keep: false,
      log: { kind: 'file', path: join(folder, 'log') },
      onEvent: (event) => staging.onEvent?.(event, relay),
      onTrace: trace,
      cancel: new CancelSource(),
      clock,
      random: randomBytes,
      ...staging.request?.(folder),
    });
    const log = await readFile(join(folder, 'log'));
    return {
      result,
      log,
      logOf: (step) => {
        const part = result.steps[step]?.log;
        return part ? log.subarray(part.offset, part.offset + part.bytes).toString() : '';
      },
      leftovers: await this.#hand.leftovers(result.run.id),
      relay,
      traces,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
