import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HandMadeEntry } from './support/hand-made-tar.ts';
import { entryBlocks, handMadeTar, lastEntry, paxContent, tarEnd } from './support/hand-made-tar.ts';
import type { TemporaryFolder } from './support/temporary-folder.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { treeFacts } from './support/tree-facts.ts';
import { unpack } from './support/unpack.ts';

const file = (name: string | Uint8Array, content = 'evil'): HandMadeEntry => ({ name, content });
const symlink = (name: string, target: string): HandMadeEntry => ({ name, type: '2', target });

let folder: TemporaryFolder;
let here: string;

beforeEach(() => {
  folder = temporaryFolder();
  here = folder.at('sub/outputs');
  mkdirSync(here, { recursive: true });
  mkdirSync(folder.at('outside'));
  writeFileSync(folder.at('outside/secret'), 'secret');
});

/** Whatever was tried, what is outside is as it was. */
afterEach(() => {
  using _ = folder;
  expect(Object.keys(treeFacts(folder.at('outside')))).toEqual(['secret']);
  expect(readFileSync(folder.at('outside/secret'), 'utf8')).toBe('secret');
  expect(lstatSync(folder.at('outside/secret')).nlink).toBe(1);
  expect(readdirSync(folder.path).sort()).toEqual(['outside', 'sub']);
  expect(readdirSync(folder.at('sub'))).toEqual(['outputs']);
});

describe('refused as a whole', () => {
  test.each<[string, string, readonly HandMadeEntry[]]>([
    ['an absolute name', 'it is absolute', [file('/outputs/x')]],
    ['a name that leads upwards', 'it leads upwards', [file('outputs/../../x')]],
    ['a name that is upwards', 'it leads upwards', [{ name: '..', type: '5' }]],
    ['a name that leads upwards and back', 'it leads upwards', [file('outputs/a/../b')]],
    [
      'a long name that leads upwards',
      'it leads upwards',
      [{ name: '@', type: 'L', content: 'outputs/../../x\0' }, file('y')],
    ],
    [
      'a pax name that is absolute',
      'it is absolute',
      [{ name: '@', type: 'x', content: paxContent({ path: '/x' }) }, file('y')],
    ],
    [
      'a pax name with a NUL',
      'it has a NUL',
      [{ name: '@', type: 'x', content: paxContent({ path: 'outputs/a\0b' }) }, file('y')],
    ],
    ['a prefix that leads upwards', 'it leads upwards', [{ ...file('x'), prefix: 'outputs/../..' }]],
    [
      'a link to what was not sent',
      'which is no file that it sent',
      [{ name: 'outputs/x', type: '1', target: 'outputs/y' }],
    ],
    [
      'a link out of the outputs',
      'it leads upwards',
      [{ name: 'outputs/x', type: '1', target: 'outputs/../../outside/secret' }],
    ],
    [
      'a link to an absolute name',
      'it is absolute',
      [{ name: 'outputs/x', type: '1', target: '/etc/passwd' }],
    ],
    [
      'a link to a folder',
      'which is no file',
      [
        { name: 'outputs/f/', type: '5' },
        { name: 'outputs/x', type: '1', target: 'outputs/f' },
      ],
    ],
    [
      'a file through a link',
      'it came as symlink and as folder',
      [symlink('outputs/l', '../../outside'), file('outputs/l/x')],
    ],
    [
      'a file through a link within',
      'it came as symlink and as folder',
      [symlink('outputs/l', '.'), file('outputs/l/x')],
    ],
    [
      'a folder that is a link first',
      'it came as symlink and as folder',
      [symlink('outputs/l', '../../outside'), { name: 'outputs/l/', type: '5' }],
    ],
    [
      'a folder that becomes a link',
      'it came as folder and as symlink',
      [{ name: 'outputs/l/', type: '5' }, symlink('outputs/l', '../../outside'), file('outputs/l/x')],
    ],
    [
      'a file that becomes a folder',
      'it came as file and as folder',
      [file('outputs/a'), file('outputs/a/b')],
    ],
    [
      'a link that becomes a file',
      'it came as symlink and as file',
      [symlink('outputs/a', 'b'), file('outputs/a')],
    ],
    [
      'a file that is put on a link',
      'it came as file and as symlink',
      [file('outputs/a'), symlink('outputs/a', '/etc/passwd')],
    ],
    [
      'a device that becomes a folder',
      'it came as skipped and as folder',
      [{ name: 'outputs/d', type: '3' }, file('outputs/d/x')],
    ],
    ['the root as a file', 'where a folder is due', [file('outputs')]],
    ['the root as a link', 'where a folder is due', [symlink('outputs', '../outside'), file('outputs/x')]],
    ['the root as a file by another name', 'where a folder is due', [file('outputs/.//')]],
    ['an unknown type', 'the unknown type', [{ ...file('outputs/x'), type: 'Z' }]],
    ['a sparse file', 'sparse files', [{ ...file('outputs/x'), type: 'S' }]],
    [
      'a size that is negative',
      'out of bounds',
      [{ name: '@', type: 'x', content: paxContent({ path: 'outputs/x' }) }, negativeSize()],
    ],
    [
      'a broken pax header',
      'a pax header is broken',
      [{ name: '@', type: 'x', content: '99 path=x\n' }, file('y')],
    ],
    [
      'a pax header without lengths',
      'a pax header is broken',
      [{ name: '@', type: 'x', content: 'path=outputs/x\n' }, file('y')],
    ],
    [
      'a pax size that is none',
      'a broken number',
      [{ name: '@', type: 'x', content: paxContent({ size: '-5' }) }, file('y')],
    ],
    [
      'a pax size beyond numbers',
      'a broken number',
      [{ name: '@', type: 'x', content: paxContent({ size: '9'.repeat(20) }) }, file('y')],
    ],
    [
      'a huge long name',
      'bytes of name',
      [{ name: '@', type: 'L', content: 'x'.repeat(300_000) }, file('y')],
    ],
    ['a long name said to be huge', 'bytes of name', [{ name: '@', type: 'L', size: 2 ** 32 }]],
    [
      'a huge pax header',
      'bytes of name',
      [{ name: '@', type: 'x', content: paxContent({ comment: 'x'.repeat(300_000) }) }, file('y')],
    ],
    [
      'two long names',
      'several long names',
      [{ name: '@', type: 'L', content: 'a\0' }, { name: '@', type: 'L', content: 'b\0' }, file('y')],
    ],
    [
      'nothing but global headers',
      'nothing but metadata',
      Array.from({ length: 20 }, () => ({ name: '@', type: 'g', content: paxContent({ comment: 'x' }) })),
    ],
    ['entries after the last one', 'goes on after its last entry', [lastEntry, file('outputs/x')]],
  ])('%s', async (_, reason, entries) => {
    await expect(unpack(handMadeTar(...entries), here)).rejects.toMatchObject({
      code: 'OutputsRefused',
      message: expect.stringContaining(reason),
    });
  });

  test('a header that is garbage', async () => {
    const bytes = handMadeTar(file('outputs/a'), file('outputs/b'));
    bytes.write('garbage', 1024 + 10);
    await expect(unpack(bytes, here)).rejects.toMatchObject({
      code: 'OutputsRefused',
      message: expect.stringContaining('wrong checksum'),
    });
    expect(readdirSync(here)).toEqual(['a']);
  });

  test('something after the end of the archive', async () => {
    for (const tail of [entryBlocks(file('outputs/x')), Buffer.from('x'), Buffer.alloc(2 * 1024 * 1024)]) {
      await expect(unpack(Buffer.concat([handMadeTar(), tail]), here)).rejects.toMatchObject({
        message: expect.stringContaining('something follows its end'),
      });
    }
    await unpack(Buffer.concat([handMadeTar(), Buffer.alloc(10_240)]), here);
  });

  test('a single block of zeros', async () => {
    const bytes = Buffer.concat([entryBlocks(lastEntry), Buffer.alloc(512), entryBlocks(file('outputs/x'))]);
    await expect(unpack(bytes, here)).rejects.toMatchObject({
      message: expect.stringContaining('single block'),
    });
  });

  test('the last entry as anything but a file does not count', async () => {
    const bytes = Buffer.concat([entryBlocks({ name: String(lastEntry.name), type: '5' }), tarEnd]);
    await expect(unpack(bytes, here)).rejects.toMatchObject({ code: 'OutputsIncomplete' });
  });
});

function negativeSize(): HandMadeEntry {
  return { ...file('y'), size: -1 };
}

describe('skipped, the rest is kept', () => {
  test.each([
    ['an absolute target', '/etc/passwd'],
    ['a target upwards', '../../outside/secret'],
    ['a target upwards and back', '../outputs/x'],
    ['a target through a link', 'deep/er/up/../../outside/secret'],
    ['a target through a link that is out', 'absolute/passwd'],
    ['a target that goes in a circle', 'circle'],
  ])('a symbolic link with %s', async (_, target) => {
    const { files, warnings } = await unpack(
      handMadeTar(
        symlink('outputs/evil', target),
        symlink('outputs/deep/er/up', '../..'),
        symlink('outputs/absolute', '/etc'),
        symlink('outputs/circle', 'circle'),
        file('outputs/good'),
      ),
      here,
    );
    expect(files).toBe(1);
    expect(readdirSync(here).sort()).toEqual(['deep', 'good']);
    expect(warnings).toContain(
      `the symbolic link "evil" was skipped: it leads to "${target}", out of the outputs folder`,
    );
  });

  test('a symbolic link through one that was there before', async () => {
    symlinkSync('../../outside', `${here}/mine`);
    const { warnings } = await unpack(handMadeTar(symlink('outputs/evil', 'mine/secret')), here);
    expect(warnings).toHaveLength(1);
    expect(readdirSync(here)).toEqual(['mine']);
  });

  test('devices and FIFOs, and links to them', async () => {
    const entries = ['3', '4', '6'].map((type) => ({ name: `outputs/${type}`, type }));
    const link = { name: 'outputs/link', type: '1', target: 'outputs/6' };
    const { files, warnings } = await unpack(handMadeTar(...entries, link, file('outputs/good')), here);
    expect(files).toBe(1);
    expect(readdirSync(here)).toEqual(['good']);
    expect(warnings).toEqual(
      ['3', '4', '6', 'link'].map(
        (name) => `the output "outputs/${name}" was skipped: it is a device or FIFO`,
      ),
    );
  });

  test('what is in a warning cannot disturb a terminal', async () => {
    const { warnings } = await unpack(handMadeTar({ name: 'outputs/\x1b[2J\n\u202e', type: '6' }), here);
    expect(warnings).toEqual([
      'the output "outputs/\\x1b[2J\\x0a\\u{202e}" was skipped: it is a device or FIFO',
    ]);
  });

  test('a flood of warnings is cut', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ name: `outputs/${index}`, type: '6' }));
    const { warnings } = await unpack(handMadeTar(...many), here);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('and 200 more warnings about the outputs');
  });
});

describe('names that cannot be kept are refused, all others are kept', () => {
  test.each<[string, HandMadeEntry[], string]>([
    [
      'not UTF-8',
      [file(Buffer.from('outputs/caf\xe9', 'latin1'))],
      'the name "outputs/caf\\xe9" cannot be kept: it is not UTF-8',
    ],
    [
      'a part too long',
      [{ name: '@', type: 'L', content: `outputs/${'x'.repeat(256)}\0` }, file('y')],
      'a part of it is longer than 255 bytes',
    ],
    [
      'too long',
      [{ name: '@', type: 'L', content: `outputs/${'x/'.repeat(3000)}\0` }, file('y')],
      'it is longer than 4095 bytes',
    ],
    [
      'a target that is not UTF-8',
      [{ name: 'outputs/l', type: '2', target: Buffer.from([0xff]) }],
      'the target of the symbolic link "outputs/l", "\\xff" cannot be kept',
    ],
  ])('%s', async (_, entries, message) => {
    await expect(unpack(handMadeTar(...entries, file('outputs/good')), here)).rejects.toMatchObject({
      code: 'OutputsRefused',
      message: expect.stringContaining(message),
    });
    expect(readdirSync(here)).toEqual(['good']);
  });

  test('several are counted', async () => {
    const bad = [1, 2, 3].map((index) =>
      file(Buffer.concat([Buffer.from(`outputs/${index}`), Buffer.from([0xff])])),
    );
    await expect(unpack(handMadeTar(...bad), here)).rejects.toMatchObject({
      message: expect.stringMatching(/"outputs\/1\\xff" cannot be kept.*; and 2 more that cannot be kept$/),
    });
  });
});

describe('what was there before', () => {
  test('a symbolic link in the place of a folder is replaced, never followed', async () => {
    symlinkSync(folder.at('outside'), `${here}/dir`);
    await unpack(handMadeTar(file('outputs/dir/x'), { name: 'outputs/dir/', type: '5', mode: 0o700 }), here);
    expect(lstatSync(`${here}/dir`).isDirectory()).toBe(true);
    expect(readdirSync(`${here}/dir`)).toEqual(['x']);
  });

  test('a symbolic link in the place of a file is replaced, never followed', async () => {
    symlinkSync(folder.at('outside/secret'), `${here}/file`);
    symlinkSync(folder.at('outside/new'), `${here}/dangling`);
    await unpack(handMadeTar(file('outputs/file'), file('outputs/dangling', 'x'.repeat(400_000))), here);
    expect(readFileSync(`${here}/file`, 'utf8')).toBe('evil');
    expect(lstatSync(`${here}/dangling`).isFile()).toBe(true);
  });

  test('a further name of a file outside is replaced, not written through', async () => {
    linkSync(folder.at('outside/secret'), `${here}/file`);
    await unpack(handMadeTar(file('outputs/file')), here);
    expect(readFileSync(`${here}/file`, 'utf8')).toBe('evil');
  });

  test('a link over a symbolic link replaces it', async () => {
    symlinkSync(folder.at('outside/secret'), `${here}/b`);
    await unpack(handMadeTar(file('outputs/a'), { name: 'outputs/b', type: '1', target: 'outputs/a' }), here);
    expect(lstatSync(`${here}/b`).nlink).toBe(2);
  });
});

test('setuid, setgid and sticky bits are taken off', async () => {
  await unpack(
    handMadeTar({ ...file('outputs/suid'), mode: 0o7755 }, { name: 'outputs/d/', type: '5', mode: 0o7755 }),
    here,
  );
  expect(lstatSync(`${here}/suid`).mode & 0o7777).toBe(0o755);
  expect(lstatSync(`${here}/d`).mode & 0o7777).toBe(0o755);
});

test('times that nothing can keep do no harm', async () => {
  const times = ['-99999999999999', '999999999999999', '-1.5'];
  const entries = times.flatMap((mtime, index) => [
    { name: '@', type: 'x', content: paxContent({ mtime }) },
    file(`outputs/${index}`),
  ]);
  expect(await unpack(handMadeTar(...entries), here)).toMatchObject({ files: 3 });
});

describe('limits', () => {
  test('a size bomb is refused before it is written', async () => {
    const bytes = handMadeTar(file('outputs/a', '12345'), { ...file('outputs/bomb'), size: 2 ** 32 });
    await expect(unpack(bytes, here, { limits: { maxBytes: 10_000, maxFiles: 10 } })).rejects.toMatchObject({
      code: 'OutputsRefused',
      message: expect.stringContaining('more than 10000 bytes; raise --outputs-max-size'),
    });
    expect(readdirSync(here)).toEqual(['a']);
  });

  test('what is skipped counts as well', async () => {
    const bytes = handMadeTar(file('elsewhere/a', 'x'.repeat(6000)), file('elsewhere/b', 'x'.repeat(6000)));
    await expect(unpack(bytes, here, { limits: { maxBytes: 10_000, maxFiles: 10 } })).rejects.toMatchObject({
      code: 'OutputsRefused',
    });
  });

  test('metadata counts as well', async () => {
    const long = Array.from({ length: 100 }, (_, index) => [
      { name: '@', type: 'L', content: `outputs/${index}/${'x'.repeat(250)}\0` },
      file('y', ''),
    ]).flat();
    await expect(
      unpack(handMadeTar(...long), here, { limits: { maxBytes: 10_000, maxFiles: 1000 } }),
    ).rejects.toMatchObject({
      code: 'OutputsRefused',
    });
  });

  test.each(['5', '0', '2', '6'])('a count bomb of type %s is refused', async (type) => {
    const many = Array.from({ length: 11 }, (_, index) => ({ name: `outputs/${index}`, type, target: 'x' }));
    const limits = { maxBytes: 10_000, maxFiles: 10 };
    await expect(unpack(handMadeTar(...many), here, { limits })).rejects.toMatchObject({
      code: 'OutputsRefused',
      message: expect.stringContaining('more than 10 files and folders; raise --outputs-max-files'),
    });
    await unpack(handMadeTar(...many.slice(1)), here, { limits });
  });

  test('exactly as much as is allowed is kept', async () => {
    const limits = { maxBytes: 7, maxFiles: 1 };
    expect(await unpack(handMadeTar(file('outputs/a', '12345')), here, { limits })).toMatchObject({
      bytes: 5,
    });
    expect(existsSync(`${here}/a`)).toBe(true);
  });
});
