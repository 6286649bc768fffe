import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { CancelSource } from '../../../src/run/cancel-source.ts';
import { eventSchema, type RunEvent } from '../../../src/run/event-schema.ts';
import { type RunResult, resultSchema, type StepResult } from '../../../src/run/result-schema.ts';
import type { RunRequest } from '../../../src/run/run-request.ts';
import { runWorkflow } from '../../../src/run/run-workflow.ts';
import type { Step, Workflow } from '../../../src/workflow/workflow.ts';
import { LocalExecutor } from './local-executor.ts';

export const step = (name: string, command: string, more: Partial<Step> = {}): Step => ({
  name,
  command,
  environment: {},
  secrets: 'all',
  timeoutMs: undefined,
  continueOnError: false,
  always: false,
  ...more,
});

const workflow = (steps: readonly Step[], environment: Record<string, string> = {}): Workflow => ({
  image: undefined,
  environment,
  timeoutMs: undefined,
  resources: { cpu: undefined, memory: undefined },
  steps,
});

/** A folder with all that a run can be asked for; removed with `await using` or `using`. */
export class RunFixture implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'knotless-run-'));
  readonly cancel = new CancelSource();
  readonly events: RunEvent[] = [];
  executor = new LocalExecutor();

  path(name: string): string {
    return join(this.folder, name);
  }

  request(steps: readonly Step[], more: Partial<RunRequest> = {}): RunRequest {
    return {
      run: { name: 'a run', runner: undefined },
      workflow: workflow(steps),
      image: 'busybox:1.36',
      executor: this.executor,
      secrets: {},
      environment: {},
      limits: { timeoutMs: 60_000, readyMs: 60_000, orphanMs: 60_000, graceMs: 300 },
      keep: false,
      log: { kind: 'file', path: this.path('log/run.log') },
      result: { kind: 'file', path: this.path('result/result.json') },
      events: { kind: 'file', path: this.path('events/events.jsonl') },
      onEvent: (event) => {
        this.events.push(event);
      },
      cancel: this.cancel,
      clock: systemClock(),
      random: (count) => new Uint8Array(count).fill(0xab),
      ...more,
    };
  }

  /** Runs, and holds what every run promises against what it left. */
  async run(steps: readonly Step[], more: Partial<RunRequest> = {}): Promise<RunResult> {
    const result = await runWorkflow(this.request(steps, more));
    checkResult(result);
    return result;
  }

  log(): Buffer {
    return readFileSync(this.path('log/run.log'));
  }

  /** A step's own bytes, cut out of the log. */
  logOf({ log }: Pick<StepResult, 'log'>): Buffer {
    return log === null ? Buffer.alloc(0) : this.log().subarray(log.offset, log.offset + log.bytes);
  }

  result(): RunResult {
    return resultSchema.parse(JSON.parse(readFileSync(this.path('result/result.json'), 'utf8')));
  }

  eventsFile(): RunEvent[] {
    return readFileSync(this.path('events/events.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => eventSchema.parse(JSON.parse(line)));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function checkResult(result: RunResult): void {
  resultSchema.parse(result);
  const { waitMs, uploadMs, stepsMs, downloadMs, cleanupMs } = result.timings;
  const sum = waitMs + uploadMs + stepsMs + downloadMs + cleanupMs;
  if (sum !== result.durationMs) {
    throw new Error(`the timings add up to ${sum}, not ${result.durationMs}`);
  }
  if ((result.status === 'success') !== (result.reason === null)) {
    throw new Error(`${result.status} with the reason ${JSON.stringify(result.reason)}`);
  }
}

/** All bytes that a step's log events held. */
export const loggedBytes = (events: readonly RunEvent[], name: string): Buffer =>
  Buffer.concat(
    events.flatMap((event) => {
      if (event.type !== 'log' || event.step !== name) {
        return [];
      }
      return ['text' in event ? Buffer.from(event.text) : Buffer.from(event.base64, 'base64')];
    }),
  );
