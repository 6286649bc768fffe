import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

/** The imports of src/ against the layers of .dependency-cruiser.cjs. */
const reportSchema = z.object({
  modules: z.array(z.object({ source: z.string() })),
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

const { stdout } = await promisify(execFile)(
  'node_modules/.bin/depcruise',
  ['src', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
  { maxBuffer: 256 * 1024 * 1024 },
);
const { modules, summary } = reportSchema.parse(JSON.parse(stdout));
const seen = modules.filter(({ source }) => source.startsWith('src/')).length;
const there = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts')).length;

for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
console.log(`${seen} of ${there} modules seen, ${summary.violations.length} violations`);
// With a compiler that it does not know, dependency-cruiser sees nothing and is content.
if (seen === 0 || seen < there) console.error('dependency-cruiser did not see every module of src/');
if (summary.violations.length > 0 || seen === 0 || seen < there) process.exitCode = 1;
