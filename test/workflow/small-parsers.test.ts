import { describe, expect, test } from 'vitest';
import { parseDuration, parseTimeLimit } from '../../src/workflow/duration.ts';
import { parseEnvFile } from '../../src/workflow/env-file.ts';
import { checkImageReference } from '../../src/workflow/image-reference.ts';
import { byteCount, checkCpu, checkMemory, cpuCount } from '../../src/workflow/quantity.ts';
import { variableNameProblem } from '../../src/workflow/text-rules.ts';
import { bytesOf, refusalOf } from './support.ts';

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1h30m', 5_400_000],
    ['1h0m5s', 3_605_000],
    ['0s', 0],
    ['576h', 2_073_600_000],
  ])('%s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', '90', '1.5h', '-5s', '5 m', '5M', '10d', '5ms', '30m1h', 'h', '5s5s', '１s'])(
    '"%s" is refused',
    (text) => {
      expect(refusalOf(() => parseDuration(text))).toContain('is no duration');
    },
  );

  test('zero is not guessed to be zero seconds, which a limit refuses as well', () => {
    expect(refusalOf(() => parseTimeLimit('0'))).not.toContain('did you mean');
    expect(refusalOf(() => parseTimeLimit('05'))).toContain('did you mean 05s?');
  });

  test('more than a timer can wait is refused', () => {
    expect(refusalOf(() => parseDuration('577h'))).toContain('at most 576h');
    expect(refusalOf(() => parseDuration(`${'9'.repeat(400)}h`))).toContain('at most 576h');
  });

  test('a limit of nothing is refused', () => {
    expect(refusalOf(() => parseTimeLimit('0m'))).toContain('leaves no time');
  });
});

describe('image names', () => {
  test.each([
    'busybox',
    'busybox:1.36',
    'library/busybox',
    'node:20-bookworm-slim',
    'localhost/x',
    'localhost:5000/a/b_c/d__e/f--g.h:V1.0_x',
    'registry.example/team/name',
    'UPPER/case',
    '10.0.0.1:5000/x',
    '[::1]:5000/x',
    `busybox@sha256:${'a'.repeat(64)}`,
    `r.example:443/busybox:1@sha256:${'0'.repeat(64)}`,
  ])('%s is accepted', (image) => {
    checkImageReference(image);
  });

  test.each([
    ['', 'it is empty'],
    ['UPPER/CASE', '"CASE" has upper-case letters'],
    ['Busybox', 'has upper-case letters'],
    ['https://r.example/x', 'it is a URL'],
    ['a b', 'white space'],
    ['busybox:', '"" is no tag'],
    ['busybox:-x', '"-x" is no tag'],
    [`busybox:${'x'.repeat(129)}`, 'is no tag'],
    ['a//b', 'a part between slashes is empty'],
    ['/a', 'a part between slashes is empty'],
    ['a/', 'a part between slashes is empty'],
    ['a..b', '"a..b" is no part'],
    ['-a', '"-a" is no part'],
    ['a___b', 'is no part'],
    ['r_x.example:x/y', 'is no name of a registry'],
    ['busybox@sha256:12', 'is no digest'],
    ['busybox@', 'is no digest'],
    ['a'.repeat(256), 'longer than 255'],
    ['f'.repeat(64), 'the id of an image'],
  ])('%s is refused', (image, reason) => {
    expect(refusalOf(() => checkImageReference(image))).toContain(reason);
  });
});

describe('quantities', () => {
  test.each(['1', '0.5', '.5', '500m', '2e3'])('%s of cpu', (text) => checkCpu(text));
  test.each(['512Mi', '1Gi', '1.5G', '128974848', '129e6', '100k'])('%s of memory', (text) =>
    checkMemory(text),
  );
  test.each(['', '0', '-1', '1 ', '1core', '1Gi', '0m'])('"%s" of cpu is refused', (text) => {
    expect(refusalOf(() => checkCpu(text))).toContain('is no amount of cpu');
  });
  test.each(['', '0', '512m', '1GB', '1gi', 'Mi', '1,5Gi'])('"%s" of memory is refused', (text) => {
    expect(refusalOf(() => checkMemory(text))).toContain('is no amount of memory');
  });
});

describe('names of variables', () => {
  test.each(['A', '_', 'a1_B'])('%s', (name) => {
    expect(variableNameProblem(name)).toBeUndefined();
  });
  test.each(['', '1A', 'A-B', 'A.B', 'A B', 'Ä', 'A\n', 'A='])('"%s" is refused', (name) => {
    expect(variableNameProblem(name)).toContain('is no name of a variable');
  });
});

describe("docker's env files", () => {
  const parse = (text: string) => parseEnvFile(bytesOf(text), 'vars');

  test('values are taken exactly, names alone are passed on', () => {
    expect(parse('\ufeff# c\n\nA=1\r\n  B= "x" # y \nC\nD=\nA=2\n \t\n')).toEqual([
      { name: 'A', value: '1' },
      { name: 'B', value: ' "x" # y ' },
      { name: 'C', value: undefined },
      { name: 'D', value: '' },
      { name: 'A', value: '2' },
    ]);
  });

  test.each(['A=1\nB C=2', 'A=1\n=x', 'A=1\nexport B=2', 'A=1\n1B=2', 'A=1\nB =2'])(
    '%j is refused',
    (text) => {
      expect(refusalOf(() => parse(text))).toContain('vars:2: the line does not begin with a name');
    },
  );

  test('no value is shown in an error', () => {
    expect(refusalOf(() => parse('A="begin\nhunter2 secret"\n'))).not.toContain('hunter2');
    expect(refusalOf(() => parse('A=hunter2\0\n'))).not.toContain('hunter2');
  });
});

test('amounts are counted as Kubernetes counts them', () => {
  expect(['500m', '0.5', '2', '1e1'].map(cpuCount)).toEqual([0.5, 0.5, 2, 10]);
  expect(['512Mi', '2Gi', '1k', '1500', '1.5M', '1e3', '2E'].map(byteCount)).toEqual([
    536_870_912, 2_147_483_648, 1000, 1500, 1_500_000, 1000, 2e18,
  ]);
});
