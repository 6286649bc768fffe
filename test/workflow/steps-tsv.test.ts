import { expect, test } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import { parseStepsTsv } from '../../src/workflow/steps-tsv.ts';
import { bytesOf, randomFrom, refusalOf } from './support.ts';

const parse = (text: string) => parseStepsTsv(bytesOf(text), 'steps.tsv');
const pairs = (text: string) => parse(text).steps.map(({ name, command }) => [name, command]);
const refusal = (content: string | Uint8Array) =>
  refusalOf(() => parseStepsTsv(typeof content === 'string' ? bytesOf(content) : content, 'steps.tsv'));

test('each line is a name, a tab and a script, in the order of the file', () => {
  expect(pairs('build\tmake all\ntest\tmake test\n')).toEqual([
    ['build', 'make all'],
    ['test', 'make test'],
  ]);
});

test('a step of steps.tsv gets every secret and nothing of its own', () => {
  expect(parse('a\ttrue\n')).toEqual({
    image: undefined,
    environment: {},
    timeoutMs: undefined,
    resources: { cpu: undefined, memory: undefined },
    steps: [
      {
        name: 'a',
        command: 'true',
        environment: {},
        secrets: 'all',
        timeoutMs: undefined,
        continueOnError: false,
        always: false,
      },
    ],
  });
});

test('further tabs, leading and closing spaces and # belong to the script', () => {
  expect(pairs('a\tprintf "x\ty"\t# note  \n')).toEqual([['a', 'printf "x\ty"\t# note  ']]);
});

test('a byte-order mark, CRLF and a missing last newline are accepted', () => {
  expect(pairs('\ufeffa\ttrue\r\nb\tfalse')).toEqual([
    ['a', 'true'],
    ['b', 'false'],
  ]);
});

test('blank lines, lines of white space and comments are skipped', () => {
  expect(pairs('\n# first\n \t \n\r\n#\ta\nb\ttrue\n')).toEqual([['b', 'true']]);
});

test('names may hold spaces and any script', () => {
  expect(pairs('build & тест 👩‍💻\ttrue\n')).toEqual([['build & тест 👩‍💻', 'true']]);
});

test.each([
  ['an empty file', '', 'steps.tsv: there are no steps'],
  ['comments alone', '# a\ttrue\n', 'steps.tsv: there are no steps'],
  ['a line without a tab', '# x\n\nbuild make\n', 'steps.tsv:3: there is no tab'],
  ['an empty name', '\tmake\n', 'steps.tsv:1: the name is empty'],
  ['a name of spaces', '  \tmake\n', 'steps.tsv:1: the name is empty'],
  ['a name with a space at its end', 'a \tmake\n', 'steps.tsv:1: the name begins or ends with white space'],
  ['an empty script', 'a\ttrue\nb\t\n', 'steps.tsv:2: the script is empty'],
  ['a script of spaces', 'a\t \t \n', 'steps.tsv:1: the script is empty'],
  ['a name used twice', 'a\ttrue\n#\na\tfalse\n', 'steps.tsv:3: the name "a" stands in line 1 already'],
  ['a NUL in a script', 'a\ttrue\nb\techo \0\n', 'steps.tsv:2: it has a NUL'],
  ['a control character in a name', 'a\u001b[31m\ttrue\n', 'steps.tsv:1: the name has a control character'],
  ['a line separator in a name', 'a\u2028b\ttrue\n', 'steps.tsv:1: the name has a control character'],
  [
    'a right-to-left override in a name',
    'a\u202eb\ttrue\n',
    'steps.tsv:1: the name has a character that turns',
  ],
  ['line ends of old Macs', 'a\ttrue\rb\tfalse\r', 'steps.tsv:1: a carriage return'],
])('%s is refused', (_, text, message) => {
  expect(refusal(text)).toContain(message);
});

test.each([
  ['little-endian', Buffer.from('\ufeffa\ttrue\n', 'utf16le')],
  ['big-endian', Buffer.from('\ufeffa\ttrue\n', 'utf16le').swap16()],
  ['without a mark', Buffer.from('a\ttrue\n', 'utf16le')],
])('UTF-16, %s, is named as such', (_, bytes) => {
  expect(refusal(bytes)).toContain('steps.tsv:1: the file is UTF-16; save it as UTF-8');
});

test('a line that is not UTF-8 is named', () => {
  expect(refusal(Buffer.from('a\ttrue\nb\techo \xe9\n', 'latin1'))).toContain(
    'steps.tsv:2: the line is not UTF-8',
  );
});

test('a surrogate half written as UTF-8 is refused', () => {
  expect(refusal(Buffer.from('61097275650a6209eda0800a', 'hex'))).toContain('steps.tsv:2');
});

test('whatever a file holds, it is parsed or refused', () => {
  const random = randomFrom(20_240_607);
  const pieces = [
    'a',
    'b',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '#',
    ' ',
    '\0',
    '\ufeff',
    'é',
    '\u2028',
    'echo',
    '\x1b',
  ];
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: random(30) }, () => pieces[random(pieces.length)]).join('');
    const bytes = Buffer.from(text);
    if (bytes.length > 0 && random(4) === 0) bytes[random(bytes.length)] = random(256);
    try {
      for (const step of parseStepsTsv(bytes, 'f').steps) expect(step.command.trim()).not.toBe('');
    } catch (error) {
      if (!(error instanceof RunnerError) || error.code !== 'BadInput') throw error;
      expect(error.message).toMatch(/^f(:\d+)?: /);
    }
  }
});
