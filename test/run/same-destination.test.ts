import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sharedDestination } from '../../src/run/shared-destination.ts';

let folder: string;
const at = (name: string): string => join(folder, name);
const files = (...names: readonly string[]) =>
  names.map((name) => ({ kind: 'file', path: at(name) }) as const);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'same-destination-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a link to a file that is not there yet is that file', async () => {
  symlinkSync('log', at('events'));
  expect(await sharedDestination(files('log', 'events'))).toBe(at('events'));
});

test('a link, and a hard link, to a file that is there are that file', async () => {
  writeFileSync(at('log'), '');
  symlinkSync(at('log'), at('link'));
  linkSync(at('log'), at('hard'));
  expect(await sharedDestination(files('log', 'link'))).toBe(at('link'));
  expect(await sharedDestination(files('log', 'hard'))).toBe(at('hard'));
});

test('the same name through a link to its folder is the same file', async () => {
  symlinkSync(folder, at('again'));
  expect(await sharedDestination(files('log', 'again/log'))).toBe(at('again/log'));
});

test('links in a circle are files of their own: opening them tells what is wrong', async () => {
  symlinkSync('b', at('a'));
  symlinkSync('a', at('b'));
  expect(await sharedDestination(files('a', 'log'))).toBeUndefined();
});

test('different files are different', async () => {
  writeFileSync(at('log'), '');
  expect(await sharedDestination([...files('log', 'events'), undefined])).toBeUndefined();
});
