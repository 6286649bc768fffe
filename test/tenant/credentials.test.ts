import { execFileSync } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseShellAssignments } from '../../src/tenant/credentials/shell-assignments.ts';
import { writePrivateFile } from '../../src/tenant/private-file.ts';
import { preparePrivateFolder } from '../../src/tenant/state/state-folder.ts';
import { stage } from './support/stage.ts';

const names = ['ATP_PASSWORD'];
const parse = (line: string): string | undefined =>
  parseShellAssignments(line, names, 'file').get('ATP_PASSWORD');

test.each([
  'export ATP_PASSWORD="plain words"',
  "export ATP_PASSWORD='it is $HOME `x` \\ \"'",
  'ATP_PASSWORD=bare\\ word',
  "ATP_PASSWORD='it'\\''s'",
  '  export   ATP_PASSWORD="a\\"b\\\\c\\$d\\`e"   # a note',
  'ATP_PASSWORD="ends with $"',
  'ATP_PASSWORD="100% #1 \'quoted\'"',
  'ATP_PASSWORD=a#b',
  'ATP_PASSWORD="a"b\'c\'',
  'ATP_PASSWORD=',
  'ATP_PASSWORD="é ü 漢"',
])('reads %s as a shell does', (line) => {
  const shell = execFileSync('sh', ['-c', `${line}\nprintf %s "$ATP_PASSWORD"`], { encoding: 'utf8' });
  expect(parse(line)).toBe(shell);
});

test.each([
  ['ATP_PASSWORD="a$HOME"', 'expanded'],
  ['ATP_PASSWORD="a`id`"', 'expanded'],
  ['ATP_PASSWORD=$(id)', 'expanded'],
  ['ATP_PASSWORD="never closed', 'no closing quote'],
  ["ATP_PASSWORD='never closed", 'no closing quote'],
  ['ATP_PASSWORD=a; rm -rf x', 'plain text'],
  ['ATP_PASSWORD="a" b', 'followed by something else'],
])('refuses %s, and does not show it', (line, why) => {
  expect(() => parse(`\n${line}`)).toThrowError(new RegExp(`^file:2: the value of ATP_PASSWORD .*${why}`));
  expect(() => parse(`\n${line}`)).not.toThrowError(/HOME|never|rm -rf/);
});

test('lines that set nothing of ours are not looked at', () => {
  expect(parse('if [ -n "$X" ]; then\nOTHER=$(x)\nfi\nATP_PASSWORD=a\nATP_PASSWORD=last\n')).toBe('last');
});

test('a file with CRLF and a byte-order mark', async () => {
  await using at = await stage();
  const path = await at.write('crlf', `\ufeff${at.credentialLines.replaceAll('\n', '\r\n')}`);
  expect(await at.tenant(['sign-in', '--credentials', path])).toMatchObject({ code: 0 });
});

test('a file is read, never run', async () => {
  await using at = await stage();
  const path = await at.write(
    'trap',
    `touch ${at.folder}/ran\n${at.credentialLines}\nX=$(touch ${at.folder}/ran)`,
  );
  expect(await at.tenant(['sign-in', '--credentials', path])).toMatchObject({ code: 0 });
  await expect(chmod(join(at.folder, 'ran'), 0o600)).rejects.toThrow('ENOENT');
});

test.each([
  ['missing', null, 0o600, 'does not exist'],
  ['empty', '', 0o600, 'is empty'],
  ['of a byte-order mark and spaces', '\ufeff \r\n', 0o600, 'is empty'],
  ['without a password', 'ATP_HANDLE=a.example', 0o600, 'has no ATP_PASSWORD or ATPROTO_PASSWORD'],
  ['with two handles', 'ATP_HANDLE=a.example\nATPROTO_HANDLE=b.example', 0o600, 'different values'],
  ['with a handle that is none', 'ATP_HANDLE="secret word"\nATP_PASSWORD=x', 0o600, 'neither a handle'],
  ['with a PDS that is none', 'ATP_HANDLE=a.example\nATP_PASSWORD=x\nATP_PDS_URL=no', 0o600, 'no URL'],
  ['of the group', 'ATP_HANDLE=a.example\nATP_PASSWORD=x', 0o640, 'open to others (mode 640)'],
  ['of all', 'ATP_HANDLE=a.example\nATP_PASSWORD=x', 0o604, 'open to others (mode 604)'],
])('a credential file %s is refused', async (_, text, mode, message) => {
  await using at = await stage();
  if (text !== null) await chmod(await at.write('file', text, mode), mode);
  const { code, stderr } = await at.tenant(['sign-in', '--credentials', 'file']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr).not.toMatch(/secret word|[ab]\.example/);
  expect(at.gateway.seen).toEqual([]);
});

test('credentials that are nowhere', async () => {
  await using at = await stage();
  expect(await at.tenant(['sign-in'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'the environment has no ATP_HANDLE or ATPROTO_HANDLE and no ATP_PASSWORD',
    ),
  });
});

test('a state folder that cannot be is told before anything is sent', async () => {
  await using at = await stage();
  await at.write('state', 'a file');
  expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('--state-dir') });
  expect(at.gateway.seen).toEqual([]);
});

test.each([
  ['the state folder', () => preparePrivateFolder('/proc/none/state')],
  ['a kubeconfig', () => writePrivateFile('/proc/none/kubeconfig', 'text', 'id')],
])('%s where no folder can be made is refused at once', async (_, make) => {
  await expect(make()).rejects.toMatchObject({ code: 'LocalWriteFailed' });
});

test('a session that others can read is not used', async () => {
  await using at = await stage();
  await at.signIn();
  await chmod(join(at.stateFolder, 'session.json'), 0o644);
  expect(await at.signIn()).toMatchObject({ code: 2, stderr: expect.stringContaining('open to others') });
});

test('a damaged session is named, and not shown', async () => {
  await using at = await stage();
  await mkdir(at.stateFolder);
  await at.write('state/session.json', '{"version": 1, "cookie": "hidden"}');
  const { code, stderr } = await at.signIn();
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') });
  expect(stderr).not.toContain('hidden');
});
