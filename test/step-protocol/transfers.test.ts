import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { unpackOutputs } from '../../src/archive/unpack-outputs.ts';
import { RunnerError } from '../../src/base/errors.ts';
import type { ExecSession } from '../../src/base/exec-session.ts';
import type { OutgoingArchive } from '../../src/executor/executor.ts';
import type { Compression } from '../../src/executor/step-protocol/packing.ts';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { LocalPod, sessionOptions, shells } from './local-pod.ts';
import { cutSending, forgetsItsEnd, seemsDead } from './roads.ts';

const signal = new AbortController().signal;
const silent = { progress: () => {} };
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'transfers-'));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const open = (pod: LocalPod, compress: Compression = 'none') =>
  PodSession.open(pod.port, { ...sessionOptions, compress }, AbortSignal.timeout(20_000));

async function archiveOf(folder: string): Promise<OutgoingArchive> {
  const listing = await listTree(folder, { files: 'all', exclude: [], signal });
  return packTrees([{ listing, target: 'work', executable: false }], () => {});
}

function checkout(): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, 'readonly'));
  writeFileSync(join(folder, 'readonly/inside'), 'x');
  execFileSync('chmod', ['0555', join(folder, 'readonly')]);
  for (let i = 0; i < 300; i++) writeFileSync(join(folder, `file ${i}`), `content ${i}\n`.repeat(i));
  writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  return folder;
}

async function fetched(session: PodSession, paths: readonly string[]) {
  const destination = newFolder();
  const archive = await session.fetch(paths, silent, signal);
  await unpackOutputs(archive.bytes, {
    destination,
    lastEntry: archive.lastEntry,
    place: (name) => (name.startsWith('work/') ? name.slice(5) : name === 'work' ? '' : null),
    limits: { maxBytes: 1e9, maxFiles: 1e6 },
    signal,
    warn: () => {},
  });
  return { destination, outcome: await archive.outcome };
}

const sameTree = (a: string, b: string): string => execFileSync('diff', ['-r', a, b], { encoding: 'utf8' });

/** Takes the end of stdin away, as sub-protocol v4 does. */
const withoutEnd = (session: ExecSession): ExecSession => ({
  ...session,
  canEndStdin: false,
  stdin: new Writable({
    write: (chunk, encoding, done) => {
      session.stdin.write(chunk, encoding, done);
    },
  }),
});

describe.each(shells)('with %s in the image', (shell) => {
  test.each(['none', 'gzip'] as const)(
    'a checkout goes in and comes out as it was (packing %s)',
    async (packing) => {
      await using pod = await LocalPod.start({ shell });
      await using session = await open(pod, packing);
      const folder = checkout();
      await session.send(await archiveOf(folder), silent, signal);
      expect(sameTree(folder, join(pod.root, 'work'))).toBe('');

      const { destination, outcome } = await fetched(session, ['/work', '/nothing']);
      expect(outcome).toMatchObject({ missing: ['/nothing'], failure: null });
      expect(sameTree(folder, destination)).toBe('');
    },
  );

  test.each(['none', 'gzip'] as const)(
    'a checkout goes in and comes out by a runtime that forgets the last of what a program wrote (packing %s)',
    async (packing) => {
      const programs: string[] = [];
      await using pod = await LocalPod.start({
        shell,
        road: (session, program) => {
          if (program !== 'send' && program !== 'receive') return session;
          programs.push(program);
          return forgetsItsEnd(session);
        },
      });
      await using session = await open(pod, packing);
      const folder = checkout();
      writeFileSync(join(folder, 'output'), randomBytes(100_000));
      await session.send(await archiveOf(folder), silent, signal);
      const { destination, outcome } = await fetched(session, ['/work']);
      expect(outcome).toMatchObject({ missing: [], failure: null });
      expect(sameTree(folder, destination)).toBe('');
      expect(programs, 'none is run twice').toEqual(['receive', 'send']);
    },
  );

  test('an upload ends where the end of stdin cannot be told', async () => {
    await using pod = await LocalPod.start({
      shell,
      road: (session, program) => (program === 'receive' ? withoutEnd(session) : session),
    });
    await using session = await open(pod, 'gzip');
    const folder = checkout();
    await session.send(await archiveOf(folder), silent, signal);
    expect(sameTree(folder, join(pod.root, 'work'))).toBe('');
  });

  test('an upload that breaks starts over on a clean tree', async () => {
    let nth = 0;
    const road = (session: ExecSession, program: string) =>
      program === 'receive' && nth++ === 0 ? cutSending(session, 100_000) : session;
    await using pod = await LocalPod.start({ shell, road });
    await using session = await open(pod);
    const folder = checkout();
    await session.send(await archiveOf(folder), silent, signal);
    expect(nth).toBe(2);
    expect(sameTree(folder, join(pod.root, 'work'))).toBe('');
  });
});

test.each(shells)(
  'a road that only seemed dead writes nothing over what came after it (%s)',
  async (shell) => {
    let later: (() => Promise<void>) | undefined;
    const road = (session: ExecSession, program: string) => {
      if (program !== 'receive' || later) return session;
      const dead = seemsDead(session, 100_000, 120_001); // in the middle of a file
      later = dead.later;
      return dead.session;
    };
    await using pod = await LocalPod.start({ shell, road });
    await using session = await open(pod);
    const folder = checkout();
    await session.send(await archiveOf(folder), silent, signal);
    await later?.();
    expect(sameTree(folder, join(pod.root, 'work'))).toBe('');
  },
);

test('an upload that tar refuses fails at once with its words, however much is still to come', async () => {
  await using pod = await LocalPod.start({
    shell: 'dash',
    instead: { tar: '#!/bin/sh\nhead -c 1000 >/dev/null\necho "tar: disk full" >&2\nexit 2\n' },
  });
  await using session = await open(pod);
  const endless: OutgoingArchive = {
    size: async () => 1e12,
    async *open() {
      for (;;) yield Buffer.alloc(65_536);
    },
  };
  const refused = session.send(endless, silent, signal);
  await expect(refused).rejects.toMatchObject({
    code: 'UploadFailed',
    message: expect.stringContaining('disk full'),
  });
});

test('an error of the checkout goes through as it is, and is not tried again', async () => {
  await using pod = await LocalPod.start({ shell: 'dash' });
  await using session = await open(pod);
  let opened = 0;
  const unreadable: OutgoingArchive = {
    size: async () => 1024,
    async *open() {
      opened++;
      yield Buffer.alloc(512);
      throw new RunnerError('UploadFailed', 'a file vanished');
    },
  };
  await expect(session.send(unreadable, silent, signal)).rejects.toMatchObject({
    message: 'a file vanished',
  });
  expect(opened).toBe(1);
});

test('an archive that ends before its last entry is no upload', async () => {
  await using pod = await LocalPod.start({ shell: 'dash' });
  await using session = await open(pod);
  const short: OutgoingArchive = {
    size: async () => 1024,
    async *open() {
      yield Buffer.alloc(1024);
    },
  };
  await expect(session.send(short, silent, signal)).rejects.toMatchObject({ code: 'UploadFailed' });
});

test('what tar could not read is told, and the rest comes', async () => {
  await using pod = await LocalPod.start({
    shell: 'dash',
    instead: {
      tar: '#!/bin/sh\n/bin/tar "$@"\necho "tar: x: file changed as we read it" >&2\nexit 1\n',
    },
  });
  await using session = await open(pod);
  writeFileSync(join(pod.root, 'outputs/a'), 'a');
  const archive = await session.fetch(['/outputs'], silent, signal);
  const destination = newFolder();
  const place = (name: string): string | null =>
    name.startsWith('outputs/') ? name.slice(8) : name === 'outputs' ? '' : null;
  const limits = { maxBytes: 1e6, maxFiles: 10 };
  await unpackOutputs(archive.bytes, {
    destination,
    lastEntry: archive.lastEntry,
    place,
    limits,
    signal,
    warn: () => {},
  });
  expect(await archive.outcome).toMatchObject({
    failure: null,
    warnings: [expect.stringContaining('file changed')],
  });
  expect(readFileSync(join(destination, 'a'), 'utf8')).toBe('a');
});
