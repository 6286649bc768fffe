import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { entryBlocks, handMadeTar, lastEntry, paxContent, tarEnd } from './support/hand-made-tar.ts';
import { chunksOf } from './support/streams.ts';
import { create, tarTools } from './support/tar-tools.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { treeFacts } from './support/tree-facts.ts';
import { unpack } from './support/unpack.ts';

const file = (name: string, content = name) => ({ name, content });

test('files land where they are placed, folders on the way are made, all is counted', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(
    { name: 'outputs/', type: '5', mode: 0o700 },
    file('outputs/report/a.txt', 'four'),
    file('work/dist/b.js', 'fourteen bytes'),
    { name: 'outputs/again', type: '1', target: 'outputs/report/a.txt' },
    { name: 'outputs/empty/', type: '5', mode: 0o755 },
    { name: 'outputs/latest', type: '2', target: 'report/a.txt' },
  );
  expect(await unpack(archive, folder.at('new/here'))).toEqual({ files: 3, bytes: 18, warnings: [] });
  expect(Object.keys(treeFacts(folder.at('new/here')))).toEqual([
    'again',
    'empty',
    'latest',
    'report',
    'report/a.txt',
    'work',
    'work/dist',
    'work/dist/b.js',
  ]);
  expect(readFileSync(folder.at('new/here/latest'), 'utf8')).toBe('four');
  expect(lstatSync(folder.at('new/here/again')).nlink).toBe(2);
});

test.each([1, 7, 511, 512, 513, 4096])('chunks of %i bytes make no difference', async (size) => {
  using folder = temporaryFolder();
  const long = `outputs/${'n'.repeat(150)}`;
  const archive = handMadeTar(
    { name: '././@LongLink', type: 'L', content: `${long}\0` },
    file('cut'),
    { name: 'pax', type: 'x', content: paxContent({ path: 'outputs/pax', mtime: '1600000000.5' }) },
    file('cut'),
    file('outputs/large', 'x'.repeat(size < 100 ? 3000 : 300_000)),
  );
  await unpack(chunksOf(archive, size), folder.path);
  expect(readdirSync(folder.path).sort()).toEqual(['large', 'n'.repeat(150), 'pax']);
  expect(lstatSync(folder.at('large')).size).toBe(size < 100 ? 3000 : 300_000);
  expect(lstatSync(folder.at('pax')).mtimeMs).toBe(1_600_000_000_500);
});

test('progress is told with each file', async () => {
  using folder = temporaryFolder();
  const told: unknown[] = [];
  await unpack(handMadeTar(file('outputs/a', '12'), file('outputs/b', '345')), folder.path, {
    progress: (landed) => told.push(landed),
  });
  expect(told).toEqual([
    { files: 1, bytes: 2 },
    { files: 2, bytes: 5 },
  ]);
});

test('files of an earlier run are replaced, others are left', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('sub'));
  writeFileSync(folder.at('sub/mine'), 'mine');
  writeFileSync(folder.at('sub/old'), 'a much longer old content', { mode: 0o400 });
  await unpack(handMadeTar(file('outputs/sub/old', 'new')), folder.path);
  expect(readFileSync(folder.at('sub/old'), 'utf8')).toBe('new');
  expect(readFileSync(folder.at('sub/mine'), 'utf8')).toBe('mine');
});

test('the same outputs can be fetched again over read-only folders', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(
    { name: 'outputs/locked/', type: '5', mode: 0o555, mtime: 1_500_000_000 },
    { ...file('outputs/locked/file'), mode: 0o444 },
    { name: 'outputs/locked/link', type: '2', target: 'file' },
    { name: 'outputs/locked/again', type: '1', target: 'outputs/locked/file' },
  );
  await unpack(archive, folder.path);
  const first = treeFacts(folder.path);
  expect(first.locked).toBe('folder 555 1500000000');
  await unpack(archive, folder.path);
  expect(treeFacts(folder.path)).toEqual(first);
});

test('a folder that was there keeps its mode', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('mine'));
  chmodSync(folder.at('mine'), 0o750);
  await unpack(handMadeTar({ name: 'outputs/mine/', type: '5', mode: 0o000 }), folder.path);
  expect(lstatSync(folder.at('mine')).mode & 0o7777).toBe(0o750);
});

test('the umask holds for what comes', async () => {
  using folder = temporaryFolder();
  const before = process.umask(0o027);
  try {
    await unpack(
      handMadeTar({ ...file('outputs/a'), mode: 0o777 }, { name: 'outputs/f/', type: '5', mode: 0o777 }),
      folder.path,
    );
  } finally {
    process.umask(before);
  }
  expect(lstatSync(folder.at('a')).mode & 0o7777).toBe(0o750);
  expect(lstatSync(folder.at('f')).mode & 0o7777).toBe(0o750);
});

test('a file in the place of a folder that was there is an error that names it', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('there'));
  await expect(unpack(handMadeTar(file('outputs/there')), folder.path)).rejects.toMatchObject({
    code: 'LocalWriteFailed',
    message: `"${folder.at('there')}" could not be written: a folder is in the way; remove it`,
  });
});

test('a destination that cannot be made is an error that names it', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), '');
  await expect(unpack(handMadeTar(), folder.at('file/sub'))).rejects.toMatchObject({
    code: 'LocalWriteFailed',
    message: expect.stringContaining(folder.at('file/sub')),
  });
});

test('two outputs for one path are an error', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(file('outputs/work/dist/a'), file('work/dist/a'));
  await expect(unpack(archive, folder.path)).rejects.toMatchObject({
    code: 'OutputsRefused',
    message: expect.stringContaining('"outputs/work/dist/a" and "work/dist/a" would both be put there'),
  });
});

test('folders of two outputs are put together', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(
    { name: 'outputs/work/dist/', type: '5' },
    file('outputs/work/dist/a'),
    { name: 'work/dist/', type: '5' },
    file('work/dist/b'),
  );
  await unpack(archive, folder.path);
  expect(readdirSync(folder.at('work/dist')).sort()).toEqual(['a', 'b']);
});

test('a file that comes twice by one name is there once', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(file('outputs/a', 'first'), file('outputs/a', 'second'), {
    name: 'outputs/a',
    type: '1',
    target: 'outputs/a',
  });
  expect(await unpack(archive, folder.path)).toMatchObject({ files: 1 });
  expect(readFileSync(folder.at('a'), 'utf8')).toBe('second');
});

test('a link to a symbolic link is one too', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(
    file('outputs/a'),
    { name: 'outputs/one', type: '2', target: 'a' },
    { name: 'outputs/two', type: '1', target: 'outputs/one' },
  );
  await unpack(archive, folder.path);
  expect(treeFacts(folder.path)).toMatchObject({ one: 'symlink a', two: 'symlink a' });
});

test('symbolic links within the outputs arrive as they are', async () => {
  using folder = temporaryFolder();
  const targets = {
    'a/b/up': '../../top',
    'a/self': '.',
    'a/root': '..',
    'a/round': 'b/../b/./up',
    none: 'no/where',
  };
  const links = Object.entries(targets).map(([name, target]) => ({
    name: `outputs/${name}`,
    type: '2',
    target,
  }));
  expect(
    await unpack(handMadeTar(file('outputs/top'), file('outputs/a/b/c'), ...links), folder.path),
  ).toMatchObject({
    warnings: [],
  });
  for (const [name, target] of Object.entries(targets)) {
    expect(treeFacts(folder.path)[name]).toBe(`symlink ${target}`);
  }
});

test('what was not asked for is skipped with a warning', async () => {
  using folder = temporaryFolder();
  expect(await unpack(handMadeTar(file('etc/passwd')), folder.path)).toEqual({
    files: 0,
    bytes: 0,
    warnings: ['the output "etc/passwd" was skipped: it was not asked for'],
  });
});

test('a destination that is a symbolic link is followed', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('real'));
  symlinkSync('real', folder.at('link'));
  await unpack(handMadeTar(file('outputs/a')), folder.at('link'));
  expect(existsSync(folder.at('real/a'))).toBe(true);
});

test.each(['header', 'name', 'content', 'padding', 'last entry', 'end'])(
  'an archive cut in its %s is not whole',
  async (part) => {
    using folder = temporaryFolder();
    const parts = [
      entryBlocks({ name: '././@LongLink', type: 'L', content: `outputs/${'n'.repeat(150)}\0` }),
      entryBlocks(file('outputs/x', 'x'.repeat(1000))),
      entryBlocks(lastEntry),
      tarEnd,
    ];
    const cut = {
      header: 1024 + 100,
      name: 600,
      content: 1024 + 900,
      padding: 1024 + 1530,
      'last entry': 2700,
      end: 3600,
    };
    const whole = Buffer.concat(parts);
    const bytes = whole.subarray(0, cut[part as keyof typeof cut]);
    await expect(unpack(bytes, folder.path)).rejects.toMatchObject({
      code: 'OutputsIncomplete',
      retry: true,
    });
    expect(readdirSync(folder.path)).toHaveLength(['last entry', 'end', 'padding'].includes(part) ? 1 : 0);
  },
);

test('an archive cut at any byte is not whole, and nothing of a cut file is left', async () => {
  using folder = temporaryFolder();
  const whole = handMadeTar(file('outputs/a', 'a'.repeat(700)), file('outputs/b', 'b'.repeat(700)));
  for (let length = 0; length < whole.length; length += 37) {
    const here = folder.at(String(length));
    await expect(unpack(whole.subarray(0, length), here)).rejects.toMatchObject({
      code: 'OutputsIncomplete',
    });
    for (const name of readdirSync(here)) expect(lstatSync(`${here}/${name}`).size).toBe(700);
  }
});

test('a large file that is cut is not left', async () => {
  using folder = temporaryFolder();
  const whole = handMadeTar(file('outputs/large', 'x'.repeat(3_000_000)));
  await expect(unpack(whole.subarray(0, 2_000_000), folder.path)).rejects.toMatchObject({
    code: 'OutputsIncomplete',
  });
  expect(readdirSync(folder.path)).toEqual([]);
});

test('an archive without its last entry is not whole', async () => {
  using folder = temporaryFolder();
  const bytes = Buffer.concat([entryBlocks(file('outputs/a')), tarEnd]);
  await expect(unpack(bytes, folder.path)).rejects.toMatchObject({
    code: 'OutputsIncomplete',
    message: expect.stringContaining('ends before its last entry'),
  });
  expect(readdirSync(folder.path)).toEqual(['a']);
});

test('an abort ends it at once, though the pod sends nothing, and leaves no half file', async () => {
  using folder = temporaryFolder();
  const controller = new AbortController();
  const reason = new Error('stop');
  async function* stalled(): AsyncGenerator<Uint8Array> {
    yield entryBlocks(file('outputs/large', 'x'.repeat(1_000_000))).subarray(0, 700_000);
    setImmediate(() => controller.abort(reason));
    await new Promise(() => {});
  }
  await expect(unpack(stalled(), folder.path, { signal: controller.signal })).rejects.toBe(reason);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("the source's own error is told, and the source is let go of", async () => {
  using folder = temporaryFolder();
  const reason = new Error('connection lost');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield entryBlocks(file('outputs/a')).subarray(0, 600);
    throw reason;
  }
  await expect(unpack(broken(), folder.path)).rejects.toBe(reason);
  let isLetGo = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(512, 'x');
    } finally {
      isLetGo = true;
    }
  }
  await expect(unpack(endless(), folder.path)).rejects.toMatchObject({ code: 'OutputsRefused' });
  expect(isLetGo).toBe(true);
});

test('a full disk is told by the name of the file, of which nothing is left', async () => {
  if (!existsSync('/dev/full') || process.getuid?.() !== 0)
    return console.log('skipped: it takes root to mount');
  using folder = temporaryFolder();
  const { execFileSync } = await import('node:child_process');
  mkdirSync(folder.at('small'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.at('small')], { stdio: 'pipe' });
  } catch {
    return console.log('skipped: nothing can be mounted here');
  }
  try {
    for (const size of [200_000, 3_000_000]) {
      const many = Array.from({ length: 8 }, (_, index) =>
        file(`outputs/${size}-${index}`, 'x'.repeat(size)),
      );
      await expect(unpack(handMadeTar(...many), folder.at('small'))).rejects.toMatchObject({
        code: 'LocalWriteFailed',
        message: expect.stringMatching(new RegExp(`small/${size}-\\d" could not be written: ENOSPC`)),
      });
      for (const name of readdirSync(folder.at('small'))) {
        expect(lstatSync(folder.at('small', name)).size).toBe(Number(name.split('-')[0]));
      }
    }
  } finally {
    execFileSync('umount', [folder.at('small')]);
  }
});

test('sparse files of GNU tar -S are refused clearly', async () => {
  const gnu = tarTools.find(({ name }) => name === 'GNU tar');
  if (!gnu) return console.log('skipped: GNU tar is not installed');
  using folder = temporaryFolder();
  mkdirSync(folder.at('outputs'));
  writeFileSync(folder.at('outputs/sparse'), 'x');
  truncateSync(folder.at('outputs/sparse'), 5_000_000);
  writeFileSync(folder.at('end-of-outputs'), 'ok');
  for (const format of ['gnu', 'posix']) {
    const tool = { ...gnu, argv: [...gnu.argv, '-S', `--format=${format}`] };
    const bytes = create(tool, folder.path, 'outputs', 'end-of-outputs');
    await expect(unpack(bytes, folder.at('here'))).rejects.toMatchObject({
      code: 'OutputsRefused',
      message: expect.stringContaining('sparse files'),
    });
  }
});
