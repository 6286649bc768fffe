import { observeRun, type Surroundings } from './observed-run.ts';
import { planRun } from './plan.ts';
import { Tally } from './tally.ts';

export interface StormOptions extends Surroundings {
  /** The storm ends once that many have struck, … */
  readonly faults: number;
  /** … or after that many milliseconds, and never before the runs under way are over. */
  readonly ms: number;
  readonly runsAtOnce: number;
  /** This run alone. */
  readonly only: number | undefined;
  readonly print: (text: string) => void;
}

/** Runs through faults until there were enough. */
export async function storm(options: StormOptions): Promise<Tally> {
  const { ground, seed, faults, ms, only, print } = options;
  const tally = new Tally();
  const until = performance.now() + ms;
  let next = only ?? 0;
  const worker = async (): Promise<void> => {
    while (tally.faults < faults && performance.now() < until) {
      const number = next++;
      const began = performance.now();
      const run = await observeRun(planRun(ground, seed, number), options);
      const wrong = tally.add(run);
      const told = run.result.reason?.code ?? run.result.status;
      print(`run ${number}: ${told} after ${Math.round((performance.now() - began) / 100) / 10} s\n`);
      if (wrong || only !== undefined) {
        const { steps, faults: planned } = run.plan;
        print(`${JSON.stringify(wrong ?? 'all is well', null, 1)}\n`);
        print(`${steps.map(({ step }) => `${step.name}: ${step.command.slice(0, 200)}`).join('\n')}\n`);
        print(`${planned.map((fault) => JSON.stringify(fault)).join('\n')}\n`);
        print(
          `${run.traces.join('\n')}\nreplay: npm run drill -- ${ground.flags} --seed ${seed} --only ${number}\n`,
        );
      }
      if (only !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: only === undefined ? options.runsAtOnce : 1 }, worker));
  return tally;
}
