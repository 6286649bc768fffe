import { openSandbox } from '../contenders/own-executor.ts';
import { ownWay, type Way } from '../contenders/transfers.ts';
import { fileSets } from '../file-set.ts';
import { ownTrue, stepRows } from '../measures/steps.ts';
import { transferRows } from '../measures/transfers.ts';
import { ours, type Row } from '../report.ts';
import type { EngineStage } from './stage.ts';

export interface EngineMeasure {
  /** For `--only`. */
  readonly name: string;
  /** What it makes is gone when it settles. */
  run(stage: EngineStage): Promise<readonly Row[]>;
}

const steps: EngineMeasure = {
  name: 'steps',
  async run(stage) {
    await using place = await openSandbox(stage);
    const { name } = place.sandbox.place;
    return await stepRows(stage, {
      [ours]: ownTrue(stage, place),
      'docker exec': () => stage.docker('exec', name, 'true'),
    });
  },
};

const transfers: readonly EngineMeasure[] = fileSets.map((set) => ({
  name: `files-${set.id}`,
  async run(stage) {
    await using place = await openSandbox(stage);
    const { name } = place.sandbox.place;
    const byCopy: Way = {
      name: 'docker cp',
      send: (folder) => stage.docker('cp', '-q', `${folder}/.`, `${name}:/work`),
      fetch: (folder) => stage.docker('cp', '-q', `${name}:/outputs/.`, folder),
    };
    return await transferRows(stage, set, {
      ways: [ownWay(stage, place), byCopy],
      inPlace: (script) => stage.docker('exec', name, 'sh', '-c', script),
    });
  },
}));

/** In the order of the report. */
export const engineMeasures: readonly EngineMeasure[] = [steps, ...transfers];
