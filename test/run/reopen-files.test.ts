import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogWriter } from '../../src/run/log-writer.ts';
import { reopenEvents, reopenLog } from '../../src/run/reopen-files.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knotless-reopen-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['=== step a\nx\n', '=== step a\nx\n=== step b\ny'],
  ['=== step a\nx', '=== step a\nx\n=== step b\ny'],
  ['', '=== step b\ny'],
])('a log is cut back to its finished steps and gone on with: %j', async (kept, whole) => {
  writeFileSync(path, `${kept}\n=== step b\nhalf a lin`);
  const { sink, ...position } = await reopenLog({ kind: 'file', path }, Buffer.byteLength(kept));
  const log = new LogWriter(sink, position);
  await log.startStep('b');
  await log.write(Buffer.from('y'));
  expect(log.range).toEqual({ offset: whole.length - 1, bytes: 1 });
  await log.close();
  expect(readFileSync(path, 'utf8')).toBe(whole);
});

test('a log that is shorter than what was written to it is bad input', async () => {
  writeFileSync(path, 'short');
  await expect(reopenLog({ kind: 'file', path }, 10)).rejects.toMatchObject({ code: 'BadInput' });
  expect(readFileSync(path, 'utf8')).toBe('short');
});

test.each([
  ['{"a":1}\n{"b":', '{"a":1}\n'],
  ['{"a":1}\n', '{"a":1}\n'],
  ['{"a":', ''],
  ['', ''],
  [`{"a":1}\n${'x'.repeat(200_000)}`, '{"a":1}\n'],
])('of the events only a line that is not whole goes', async (left, kept) => {
  writeFileSync(path, left);
  const sink = await reopenEvents({ kind: 'file', path });
  await sink.write(Buffer.from('{"c":1}\n'));
  await sink.close();
  expect(readFileSync(path, 'utf8')).toBe(`${kept}{"c":1}\n`);
});
