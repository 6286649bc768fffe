import {
  chmodSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Longer than any field of a header. */
const longPath = `${'d'.repeat(90)}/${'e'.repeat(90)}/${'f'.repeat(90)}/${'g'.repeat(120)}`;

const oddNames = [
  'with space',
  'new\nline',
  'tab\there',
  '-rf',
  '*',
  `quotes'"\``,
  'back\\slash',
  '👩‍💻',
  'cafe\u0301',
  'café',
  '#hash',
  '...',
  'é'.repeat(60),
  'n'.repeat(99),
  'n'.repeat(100),
  'n'.repeat(101),
  'x'.repeat(255),
];

/** Makes a tree that has all that must arrive as it was. */
export function makeOddTree(root: string): void {
  const file = (path: string, content: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  for (const name of oddNames) file(`odd/${name}`, `content of ${name}`);
  file(longPath, 'deep');
  file('empty', '');
  file('block', 'b'.repeat(512));
  file('block and one', 'b'.repeat(513));
  file('big', 'big'.repeat(400_000));
  file('script.sh', '#!/bin/sh\n', 0o755);
  file('private', 'x', 0o600);
  file('read-only/file', 'x', 0o444);
  file('.git/config', '[core]\n');
  file('pair/one', 'same');
  file('sparse', '');
  truncateSync(join(root, 'sparse'), 3_000_000);
  linkSync(join(root, 'pair/one'), join(root, 'pair/two'));
  linkSync(join(root, 'pair/one'), join(root, longPath.replace('ggg', 'hhh')));
  mkdirSync(join(root, 'hollow/inner'), { recursive: true });
  symlinkSync('pair/one', join(root, 'inside'));
  symlinkSync('../block', join(root, 'pair/up'));
  symlinkSync(longPath, join(root, 'long link'));
  symlinkSync('nowhere', join(root, 'dangling'));
  setTimes(root, '', 1_500_000_000);
  lutimesSync(join(root, 'block'), -86_400, -86_400);
  lutimesSync(join(root, 'empty'), 4_000_000_000, 4_000_000_000);
  chmodSync(join(root, 'read-only'), 0o555);
}

/** A time of its own for each, folders after what is in them. */
function setTimes(root: string, folder: string, base: number): void {
  for (const [index, entry] of readdirSync(join(root, folder), { withFileTypes: true }).entries()) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setTimes(root, path, base + 1000 * (index + 1));
    lutimesSync(join(root, path), base + index, base + index);
  }
}
