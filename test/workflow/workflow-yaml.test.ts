import { expect, test } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import { parseWorkflowYaml } from '../../src/workflow/workflow-yaml.ts';
import { bytesOf, randomFrom, refusalOf } from './support.ts';

const parse = (text: string) => parseWorkflowYaml(bytesOf(text), 'w.yml');
const refusal = (text: string) => refusalOf(() => parse(text));
const steps = 'steps:\n  - name: a\n    command: "true"\n';

const whole = `
image: registry.example:5000/team/node:20
environment: &common
  MODE: fast
secrets: [TOKEN]
timeout: 1h30m
resources: { cpu: 500m, memory: 1Gi }
steps:
  - name: build
    command: |
      make
      make check
    environment: { LEVEL: 2 }
    secrets: [DEPLOY_KEY, TOKEN]
    timeout: 90s
    continue_on_error: true
  - name: clean up
    command: rm -rf tmp
    environment: *common
    always: true
`;

test('a whole workflow', () => {
  expect(parse(whole)).toEqual({
    image: 'registry.example:5000/team/node:20',
    environment: { MODE: 'fast' },
    timeoutMs: 5_400_000,
    resources: { cpu: '500m', memory: '1Gi' },
    steps: [
      {
        name: 'build',
        command: 'make\nmake check\n',
        environment: { LEVEL: '2' },
        secrets: ['TOKEN', 'DEPLOY_KEY'],
        timeoutMs: 90_000,
        continueOnError: true,
        always: false,
      },
      {
        name: 'clean up',
        command: 'rm -rf tmp',
        environment: { MODE: 'fast' },
        secrets: ['TOKEN'],
        timeoutMs: undefined,
        continueOnError: false,
        always: true,
      },
    ],
  });
});

test.each([
  ['yes', 'yes'],
  ['on', 'on'],
  ['true', 'true'],
  ['3.10', '3.10'],
  ['0755', '0755'],
  ['0x1F', '0x1F'],
  ['1e3', '1e3'],
  ['1_000', '1_000'],
  ['12:30:45', '12:30:45'],
  ['2024-01-01', '2024-01-01'],
  ['null', 'null'],
  ['~', '~'],
  ['.inf', '.inf'],
  ['""', ''],
  ["''", ''],
  ['"\\u00e9\\n"', 'é\n'],
  ['a b # comment', 'a b'],
])('the value %s reaches the step as written', (written, value) => {
  expect(parse(`environment:\n  X: ${written}\n${steps}`).environment).toEqual({ X: value });
});

test('steps may be called on, 007 and null', () => {
  const names = ['on', '007', 'null'];
  const text = `steps:\n${names.map((name) => `  - {name: ${name}, command: x}\n`).join('')}`;
  expect(parse(text).steps.map(({ name }) => name)).toEqual(names);
});

test('keys that objects have of themselves are ordinary names', () => {
  const { environment } = parse(`environment: { constructor: a, toString: b, hasOwnProperty: c }\n${steps}`);
  expect({ ...environment }).toEqual({ constructor: 'a', toString: 'b', hasOwnProperty: 'c' });
});

test.each([
  [
    'an unknown key',
    `${steps}    comand: x\n`,
    'w.yml:4:5: there is no key "comand" here; did you mean command?',
  ],
  ['an unknown key at the top', `stages: []\n${steps}`, 'w.yml:1:1: there is no key "stages" here'],
  [
    'an unknown resource',
    `resources: {gpu: 1}\n${steps}`,
    'w.yml:1:13: there is no key "gpu" here; did you mean cpu?',
  ],
  [
    'a misspelt key that is missing',
    'steps:\n  - name: a\n    comand: x\n',
    'w.yml:3:5: there is no key "comand"',
  ],
  ['a repeated key', `image: a\nimage: b\n${steps}`, 'w.yml:2:1: the key stands here a second time'],
  [
    'a repeated key of a step',
    'steps:\n  - name: a\n    name: b\n    command: x\n',
    'w.yml:3:5: the key stands',
  ],
  ['a missing command', 'steps:\n  - name: a\n', 'w.yml:2:5: the key "command" is missing'],
  ['a missing list of steps', 'image: a\n', 'w.yml:1:1: the key "steps" is missing; it is a list'],
  ['an empty list', 'steps: []\n', 'w.yml:1:8: the list is empty'],
  ['steps that are no list', 'steps: a\n', 'w.yml:1:8: a list is due here'],
  ['steps without a value', 'steps:\n', 'there is no value here; a list is due'],
  ['a step that is text', 'steps: [a]\n', 'w.yml:1:9: a map of keys and values is due here'],
  ['a list where text is due', `environment:\n  X: [1]\n${steps}`, 'w.yml:2:6: a text is due here'],
  ['a map where text is due', `environment:\n  X: {a: b}\n${steps}`, 'w.yml:2:6: a text is due here'],
  ['no value where text is due', `environment:\n  X:\n${steps}`, 'there is no value here; a text is due'],
  [
    'a name used twice',
    `${steps}  - name: a\n    command: x\n`,
    'w.yml:4:11: another step is called "a" already',
  ],
  ['an empty name', 'steps:\n  - name: ""\n    command: x\n', 'w.yml:2:11: the name is empty'],
  [
    'a name with a line break',
    'steps:\n  - name: "a\\nb"\n    command: x\n',
    'w.yml:2:11: the name has a control',
  ],
  ['an empty command', 'steps:\n  - name: a\n    command: "  "\n', 'w.yml:3:14: the script is empty'],
  ['a NUL in a command', 'steps:\n  - name: a\n    command: "a\\0"\n', 'w.yml:3:14: it has a NUL'],
  [
    'half of a surrogate pair',
    `environment:\n  X: "\\ud800"\n${steps}`,
    'w.yml:2:6: it has half of a surrogate',
  ],
  ['no name of a variable', `environment:\n  A-B: x\n${steps}`, 'w.yml:2:3: "A-B" is no name of a variable'],
  ['no name of a secret', `secrets: [a.b]\n${steps}`, 'w.yml:1:11: "a.b" is no name of a variable'],
  [
    'a key that objects treat apart',
    `environment:\n  __proto__: x\n${steps}`,
    'w.yml:2:3: this cannot be a key',
  ],
  ['no duration', `timeout: 15\n${steps}`, 'w.yml:1:10: "15" is no duration; did you mean 15s?'],
  ['a limit of nothing', `timeout: 0s\n${steps}`, 'w.yml:1:10: "0s" leaves no time at all'],
  ['yes for a flag', `${steps}    always: yes\n`, 'w.yml:4:13: write true or false here'],
  ['no amount of memory', `resources: {memory: 512m}\n${steps}`, 'w.yml:1:21: "512m" is no amount of memory'],
  ['no image', `image: UPPER/CASE\n${steps}`, 'w.yml:1:8: "UPPER/CASE" is no name of an image'],
  ['an empty file', '', 'w.yml: there is nothing in it'],
  ['a file of comments', '# nothing\n', 'w.yml: there is nothing in it'],
  ['a list at the top', '- a\n', 'w.yml:1:1: a map of keys and values is due here'],
  ['a text at the top', 'a\n', 'w.yml:1:1: a map of keys and values is due here'],
  ['a second document', `${steps}---\n${steps}`, 'w.yml:4:1: a second document begins here'],
  ['a tab as indentation', 'steps:\n\t- a\n', 'w.yml:2:1: tabs are not allowed as indentation'],
  ['a tag', `environment:\n  X: !!int 3\n${steps}`, 'tags are not read here'],
  ['a tag of its own', `environment:\n  X: !env HOME\n${steps}`, 'tags are not read here'],
  ['a merge key', `environment:\n  <<: {A: b}\n${steps}`, 'w.yml:2:3: merge keys (<<) are not read here'],
  [
    'an alias without an anchor',
    `environment: *x\n${steps}`,
    'w.yml:1:14: there is no anchor &x before this alias',
  ],
  ['an anchor within itself', 'steps: &x [*x]\n', 'or endless'],
  ['a list as key', '? [a]\n: b\n', 'w.yml:1:3: with stringKeys'],
  ['a value cut off', 'steps: [{name: a', 'w.yml:1:'],
])('%s is refused', (_, text, message) => {
  expect(refusal(text)).toContain(message);
});

test('an alias bomb is refused in little time', () => {
  const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(`*${of}`).join(',')}]\n`;
  const letters = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const bomb = letters
    .map((letter, index) => level(letter, index === 0 ? 'a' : (letters[index - 1] ?? 'a')))
    .join('');
  const started = performance.now();
  expect(refusal(`a: &a [x]\n${bomb}`)).toMatch(/^w\.yml:\d+:\d+: with its aliases it is larger than/);
  expect(performance.now() - started).toBeLessThan(5000);
});

test.each([
  ['flow lists', '['.repeat(200_000)],
  ['flow maps', '{a: '.repeat(100_000)],
  ['lists', '- '.repeat(200_000)],
  ['explicit keys', '? '.repeat(100_000)],
])('%s nested without end are refused before they end the process', (_, text) => {
  expect(refusal(text)).toMatch(/^w\.yml:1:\d+: it is nested more than 64 levels deep/);
});

test('a workflow of two thousand steps is read', () => {
  const many = Array.from(
    { length: 2000 },
    (_, index) => `  - name: step ${index}\n    command: echo ${index}\n`,
  );
  expect(parse(`steps:\n${many.join('')}`).steps).toHaveLength(2000);
});

test('whatever is done to a file, it is parsed or refused', () => {
  const random = randomFrom(77);
  const pieces = [
    '&a ',
    '*a',
    '[',
    ']',
    '{',
    '}',
    ': ',
    '- ',
    '\n',
    '  ',
    '\t',
    '"',
    "'",
    '|',
    '>',
    '!!x ',
    '#',
    '? ',
    '%',
    '---\n',
  ];
  for (let round = 0; round < 1500; round += 1) {
    let text = whole;
    for (let edits = random(6) + 1; edits > 0; edits -= 1) {
      const at = random(text.length + 1);
      const piece = pieces[random(pieces.length)] ?? '';
      text = text.slice(0, at) + (random(3) === 0 ? '' : piece) + text.slice(at + random(20));
    }
    try {
      expect(parse(text).steps.length).toBeGreaterThan(0);
    } catch (error) {
      if (!(error instanceof RunnerError) || error.code !== 'BadInput') throw error;
      expect(error.message).toMatch(/^w\.yml(:\d+:\d+)?: /);
    }
  }
});
