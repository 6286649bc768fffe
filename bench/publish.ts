/** Puts the figures of a report into docs/: `node scripts/run-ts.mjs bench/publish.ts REPORT.json`. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.ts';
import { withFigures } from './figures-in-page.ts';
import { parseReport } from './report-schema.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node scripts/run-ts.mjs bench/publish.ts REPORT.json');
const docs = (name: string): string => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
const report = parseReport(await readFile(file, 'utf8'));
await writeFile(docs('performance.svg'), chart(report));
await writeFile(docs('performance.md'), withFigures(await readFile(docs('performance.md'), 'utf8'), report));
