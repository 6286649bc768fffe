import type { NamedTarget, OutputTarget } from './output-targets.ts';
import { checkDistinct, parseTarget } from './output-targets.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import { parseText } from './scalars.ts';

export interface OutputTargets {
  readonly result: OutputTarget | undefined;
  readonly log: OutputTarget | undefined;
  readonly events: OutputTarget | undefined;
}

export function parseOutputTargets(reader: RunOptionReader, cwd: string): OutputTargets {
  const read = (flag: keyof OutputTargets): OutputTarget | undefined =>
    reader.parsed(flag, (text) => parseTarget(cwd, parseText(text)));
  const targets = { result: read('result'), log: read('log'), events: read('events') };
  const named: NamedTarget[] = [];
  for (const flag of ['result', 'log', 'events'] as const) {
    const target = targets[flag];
    if (target !== undefined) named.push({ label: reader.label(flag), target });
  }
  checkDistinct(named);
  return targets;
}
