import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/base/errors.ts';
import { chart } from './chart.ts';
import { measuredOnEngine } from './docker/setting.ts';
import { type Options, readOptions } from './options.ts';
import { perform } from './perform.ts';
import type { Report } from './report.ts';
import { withStage } from './setting.ts';
import { terminalTable } from './table.ts';
import { judge } from './targets.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  const options = readOptions(process.argv.slice(2), process.env);
  const report = await measured(options);
  console.log(terminalTable(report));
  const missed = judge(report.rows).filter(({ isReached }) => !isReached);
  console.log(`${judge(report.rows).length - missed.length} targets reached, ${missed.length} missed`);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, null, 1)}\n`);
  if (options.svg !== undefined) await writeFile(options.svg, chart(report));
  if (report.failures.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}

/** The first Ctrl-C takes everything away in order. */
async function measured(options: Options): Promise<Report> {
  const halt = new AbortController();
  const onSignal = (): void => halt.abort(new Error('interrupted; everything was taken away'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  };
  try {
    const common = { root, signal: halt.signal, progress };
    if (options.docker !== undefined) return await measuredOnEngine({ ...common, options });
    return await withStage({ ...common, options }, (stage) => perform(stage, options.measures));
  } finally {
    progress('');
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
