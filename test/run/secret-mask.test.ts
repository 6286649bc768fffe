import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SecretMask } from '../../src/run/masking/secret-mask.ts';

const pem = [
  '-----BEGIN KEY-----',
  'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJ',
  'mrze8BI0VniavN7wEjRWeJq83vASNFZ4',
  '-----END KEY-----',
  '',
].join('\n');
const odd = 'pa"ss\\wo/rd <&> $x\'ü€😀 100%+~';
const json = JSON.stringify({ type: 'service_account', key: 'abc\ndef', nested: { a: [1, 2] } }, null, 2);
const values = { PEM: pem, ODD: odd, JSON: json, PLAIN: 'hunter2-and-more' };

/** Fails where four characters of the value, one after another, are still there. */
function expectNoTrace(value: string, output: string): void {
  for (let at = 0; at + 6 <= value.length; at += 1) {
    expect(output).not.toContain(value.slice(at, at + 6));
  }
}

test.each(Object.entries(values))('%s is masked as it is and line by line', (name, value) => {
  const secrets = new SecretMask({ [name]: value });
  expect(secrets.text(`<${value}>`)).toMatch(/^<\*\*\*\n?>$/);
  for (const line of value.split('\n').filter((text) => text.trim().length >= 4)) {
    expect(secrets.text(`a ${line.trim()} b`)).toBe('a *** b');
  }
});

test.each(Object.entries(values))('%s is masked in its encodings', (name, value) => {
  const secrets = new SecretMask({ [name]: value });
  const encodings = {
    base64: Buffer.from(value).toString('base64'),
    base64url: Buffer.from(value).toString('base64url'),
    'base64 with a newline': Buffer.from(`${value}\n`).toString('base64'),
    'URL component': encodeURIComponent(value),
    'URL, all marks': encodeURIComponent(value).replace(
      /[!'()*]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16)}`,
    ),
    'URL, small digits': encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    'URL form': new URLSearchParams({ value }).toString().slice('value='.length),
    JSON: JSON.stringify(value).slice(1, -1),
    'JSON with \\/': JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
  };
  for (const encoded of Object.values(encodings)) {
    expect(secrets.text(`(${encoded})`)).toBe('(***)');
  }
});

test.each([0, 1, 2, 3, 4, 5])('base64 of a longer text shows nothing of the secret %i bytes in', (before) => {
  const secret = 'hunter2-and-more';
  const whole = `${'u'.repeat(before)}${secret}:tail`;
  for (const encoding of ['base64', 'base64url'] as const) {
    const masked = new SecretMask({ S: secret }).text(Buffer.from(whole).toString(encoding));
    expect(masked).toContain('***');
    const seen = masked.split('***').map((part) => Buffer.from(part, 'base64').toString('latin1'));
    expectNoTrace(secret, seen.join(''));
  }
});

test.each(['base64', 'base64 -w 64', 'base64 -w 0'])(
  'what `%s` prints of a long value is masked',
  (command) => {
    const output = execFileSync('sh', ['-c', command], { input: pem, encoding: 'utf8' });
    expect(new SecretMask({ PEM: pem }).text(output).replaceAll('***', '').trim()).toBe('');
  },
);

test.each([
  ['python3', 'import json,os;print(json.dumps(os.environ["S"]))'],
  ['python3', 'import urllib.parse,os;print(urllib.parse.quote(os.environ["S"]))'],
  ['python3', 'import urllib.parse,os;print(urllib.parse.quote_plus(os.environ["S"]))'],
  ['python3', 'import shlex,os;print(shlex.quote(os.environ["S"]))'],
  ['sh', 'set -x; : "$S"'],
  ['bash', 'set -x; : "$S"'],
  ['bash', 'printf "%q" "$S"'],
])('what %s prints of it by `%s` is masked', (program, script) => {
  const secret = 'pa"ss\\wo/rd <&> $x\' 100%+~';
  const output = execFileSync(
    'sh',
    [
      '-c',
      'command -v "$1" >/dev/null || { echo absent; exit 0; }; exec "$1" -c "$2" 2>&1',
      'sh',
      program,
      script,
    ],
    { env: { PATH: process.env.PATH, HOME: '/nonexistent', S: secret }, encoding: 'utf8' },
  );
  const masked = new SecretMask({ S: secret }).text(output);
  expect(masked).not.toContain('wo/rd');
  expect(masked).not.toContain('ss\\');
});

test('short and blank values are not masked, and that is said without the value', () => {
  const secrets = new SecretMask({ EMPTY: '', TINY: 'e', THREE: 'abc', BLANK: '     ', FOUR: 'abcd' });
  expect(secrets.text('the abc of e     ')).toBe('the abc of e     ');
  expect(secrets.text('abcd')).toBe('***');
  expect(secrets.warnings.map((warning) => warning.split(' ')[2])).toEqual([
    'EMPTY',
    'TINY',
    'THREE',
    'BLANK',
  ]);
  expect(secrets.warnings.join()).not.toContain('abc');
});

test('text around a secret stays whole, also where it is not ASCII', () => {
  expect(new SecretMask({ S: 'schlüssel' }).text('grüße: schlüssel → 😀')).toBe('grüße: *** → 😀');
});
