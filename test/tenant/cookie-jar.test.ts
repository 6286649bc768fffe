import { expect, test } from 'vitest';
import { CookieJar } from '../../src/tenant/web/cookie-jar.ts';

const now = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-01T00:01:01Z');
const at = (address: string): URL => new URL(address);

function jarOf(address: string, ...cookies: readonly string[]): CookieJar {
  const jar = new CookieJar();
  jar.store(at(address), cookies, now);
  return jar;
}

test('a cookie goes back to the very origin alone, whatever its Domain says', () => {
  const jar = jarOf('https://a.example/x', 's=1; Domain=example; Path=/');
  expect(jar.header(at('https://a.example/y'), now)).toBe('s=1');
  for (const other of [
    'https://b.example/',
    'https://example/',
    'http://a.example/',
    'https://a.example:444/',
  ]) {
    expect(jar.header(at(other), now)).toBeUndefined();
  }
});

test.each([
  ['https://a.example/oauth/authorize', 's=1', '/oauth/sign-in', true],
  ['https://a.example/oauth/authorize', 's=1', '/other', false],
  ['https://a.example/x', 's=1; Path=/api', '/api/clusters', true],
  ['https://a.example/x', 's=1; Path=/api', '/apis', false],
  ['https://a.example/x', 's=1; path=/', '/', true],
])('set at %s as %s, asked for at %s: %s', (address, cookie, path, isSent) => {
  expect(jarOf(address, cookie).header(new URL(path, address), now)).toBe(isSent ? 's=1' : undefined);
});

test('the more exact path comes first, and a later one of the same name and path replaces the earlier', () => {
  const jar = jarOf('https://a.example/', 's=wide; Path=/', 's=old; Path=/deep', 's=new; Path=/deep');
  expect(jar.header(at('https://a.example/deep/er'), now)).toBe('s=new; s=wide');
});

test.each([
  ['s=1; Max-Age=60', true, false],
  ['s=1; Expires=Thu, 01 Jan 2026 00:01:00 GMT', true, false],
  ['s=1; Max-Age=600; Expires=Thu, 01 Jan 1970 00:00:00 GMT', true, true],
  ['s=1; Max-Age=0', false, false],
  ['s=1; Expires=nonsense', true, true],
])('%s is there now: %s, and a minute later: %s', (cookie, isNow, isLater) => {
  const jar = jarOf('https://a.example/', cookie);
  expect(jar.value('https://a.example', 's', now) === '1').toBe(isNow);
  expect(jar.value('https://a.example', 's', later) === '1').toBe(isLater);
});

test('an ended one takes the earlier away; what could not stand in a header is not taken', () => {
  const jar = jarOf(
    'https://a.example/',
    's=1',
    's=; Max-Age=0',
    'x=a\u0000b',
    'no pair',
    '=v',
    'é=1',
    'ok=a=b "c"',
  );
  expect(jar.header(at('https://a.example/'), now)).toBe('ok=a=b "c"');
});

test('a server cannot fill the memory', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `c${i}=1`);
  const jar = jarOf('https://a.example/', ...many, `long=${'x'.repeat(10_000)}`);
  expect(jar.header(at('https://a.example/'), now)?.split('; ')).toHaveLength(100);
});
