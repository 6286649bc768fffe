import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/application.ts';
import { testContext } from './test-context.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knotless-bad-input-'));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'steps.tsv': 'one\ttrue\n',
    'empty.tsv': '# nothing\n\n',
    'utf16.tsv': Buffer.from('\ufeffone\ttrue\n', 'utf16le'),
    'twice.tsv': 'one\ttrue\none\tfalse\n',
    'nul.tsv': 'one\techo \0\n',
    'no-tab.tsv': 'one true\n',
    'unknown.yml': 'steps:\n  - name: a\n    comand: "true"\n',
    'repeated.yml': 'steps:\n  - name: a\n    command: "true"\n    command: "false"\n',
    'bomb.yml': `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `${'b'.repeat(i + 1)}: &${'b'.repeat(i + 1)} [*${'b'.repeat(i) || 'a'}, *${'b'.repeat(i) || 'a'}]`).join('\n')}\nsteps: []\n`,
    'bad.env': 'A=1\nnot a variable\n',
    'latin1.env': Buffer.from([0x41, 0x3d, 0xe9]),
    'list.yml': '- 1\n',
    'broken.yml': 'a: [\n',
    plain: 'text',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await mkdir(join(folder, 'tree'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const good = ['--name', 'demo', '--steps-file', 'steps.tsv'];

/** Every line of the table: what is wrong, the command line after `run`, and what the message must say. */
const table: readonly (readonly [string, readonly string[], string | RegExp])[] = [
  ['an unknown flag', [...good, '--workdirr', 'x'], /unknown flag --workdirr; did you mean --workdir\?/],
  ['an unknown letter', [...good, '-x'], 'unknown flag -x'],
  ['a flag without a value', [...good, '--image'], /--image needs a value/],
  ['a flag in place of a value', [...good, '--image', '--keep'], /--image needs a value/],
  ['a flag given twice', [...good, '--name', 'again'], '--name is given twice'],
  ['a switch given twice', [...good, '--keep', '--keep'], '--keep is given twice'],
  ['a switch that is neither', [...good, '--keep=perhaps'], /--keep/],
  ['an argument too many', [...good, 'more'], 'belongs to no flag'],
  ['arguments after --', [...good, '--', 'more'], 'belongs to no flag'],
  ['no name', ['--steps-file', 'steps.tsv'], '--name is missing'],
  ['an empty name', ['--name', '', '--steps-file', 'steps.tsv'], '--name: is empty'],
  ['no steps', ['--name', 'demo'], /--steps-file FILE or --workflow FILE/],
  [
    'two lists of steps',
    [...good, '--workflow', 'unknown.yml'],
    /--workflow and --steps-file exclude each other/,
  ],
  [
    'a missing steps file',
    ['--name', 'x', '--steps-file', 'none.tsv'],
    /--steps-file: "none.tsv" does not exist/,
  ],
  [
    'a folder where a file is due',
    ['--name', 'x', '--steps-file', 'tree'],
    /--steps-file: "tree" is a folder/,
  ],
  [
    'a FIFO, which may have no writer',
    ['--name', 'x', '--steps-file', 'fifo'],
    /--steps-file: "fifo" is a FIFO/,
  ],
  [
    'a secret from a FIFO',
    [...good, '--secret', 'TOKEN=@fifo'],
    /--secret: "fifo" is a FIFO; name a file, or name \/dev\/stdin/,
  ],
  ['a file where a folder is due', [...good, '--workdir', 'plain'], /--workdir: "plain" is not a folder/],
  ['a missing folder', [...good, '--steps-dir', 'none'], /--steps-dir: "none" does not exist/],
  ['an empty list', ['--name', 'x', '--steps-file', 'empty.tsv'], 'empty.tsv'],
  ['steps in UTF-16', ['--name', 'x', '--steps-file', 'utf16.tsv'], /utf16.tsv:1: .*UTF-16/],
  ['a name used twice', ['--name', 'x', '--steps-file', 'twice.tsv'], /twice.tsv:2: .*"one"/],
  ['a script with a NUL', ['--name', 'x', '--steps-file', 'nul.tsv'], /nul.tsv:1: .*NUL/],
  ['a line without a tab', ['--name', 'x', '--steps-file', 'no-tab.tsv'], /no-tab.tsv:1: .*tab/],
  ['an unknown key', ['--name', 'x', '--workflow', 'unknown.yml'], /unknown.yml:3:5: .*comand/],
  ['a repeated key', ['--name', 'x', '--workflow', 'repeated.yml'], /repeated.yml:4/],
  ['an alias bomb', ['--name', 'x', '--workflow', 'bomb.yml'], 'bomb.yml'],
  ['an impossible image', [...good, '--image', 'busybox:no tag'], /--image: "busybox:no tag"/],
  ['capitals in an image', [...good, '--image', 'docker.io/BusyBox'], /--image: /],
  ['an impossible variable', [...good, '-e', '1A=x'], /--env: "1A" cannot be the name of a variable/],
  ['an impossible variable in a file', [...good, '--env-file', 'bad.env'], /--env-file: bad.env:2: /],
  ['a variable file in Latin-1', [...good, '--env-file', 'latin1.env'], /latin1.env:1: .*UTF-8/],
  ['a variable too long', [...good, '-e', `A=${'x'.repeat(140_000)}`], /128 KiB/],
  ['a secret that is not set', [...good, '--secret', 'TOKEN'], /--secret: the variable TOKEN is not set/],
  ['a secret in the arguments', [...good, '--secret', 'TOKEN=x'], /NAME=@FILE|TOKEN=@FILE/],
  ['a secret from no file', [...good, '--secret', 'TOKEN=@none'], /--secret: "none" does not exist/],
  ['a secret twice', [...good, '--secret', 'A=@plain', '--secret', 'A=@plain'], 'given twice'],
  [
    'a variable that is a secret',
    [...good, '--secret', 'A=@plain', '-e', 'A=1'],
    'as a variable and as a secret',
  ],
  [
    'outputs inside a file',
    [...good, '--outputs', 'plain/out'],
    /--outputs: ".*plain\/out" cannot be written/,
  ],
  ['outputs where none can be', [...good, '--outputs', '/proc/none/out'], /cannot be written/],
  ['a log that is a folder', [...good, '--log', 'tree'], /--log: ".*tree" is a folder/],
  [
    'a log that is a FIFO',
    [...good, '--embedded', '--log', 'fifo'],
    /--log: ".*fifo" is a FIFO; name a file/,
  ],
  ['a result inside a file', [...good, '--result', 'plain/result.json'], /cannot be written/],
  [
    'two outputs to -',
    [...good, '--log', '-', '--events', '-'],
    /--log and --events both go to standard output/,
  ],
  [
    'two outputs to one file',
    [...good, '--log', 'a', '--result', './a'],
    /--result and --log are the same file/,
  ],
  [
    '--collect without --outputs',
    [...good, '--collect', '/work/x'],
    '--collect has no effect without --outputs',
  ],
  ['--exclude without --workdir', [...good, '--exclude', '*.o'], '--exclude has no effect without --workdir'],
  ['a relative path to collect', [...good, '--outputs', 'o', '--collect', 'work/x'], /absolute path/],
  ['a way out to collect', [...good, '--outputs', 'o', '--collect', '/work/../etc'], /absolute path/],
  ['a time without a unit', [...good, '--timeout', '90'], /--timeout: "90"/],
  ['a time of nothing', [...good, '--step-timeout', '0s'], /--step-timeout: /],
  ['a time that overflows a timer', [...good, '--timeout', '9999h'], /--timeout: .*576h/],
  ['an orphan timeout under 2m', [...good, '--orphan-timeout', '90s'], /--orphan-timeout: .*2m or more/],
  [
    'a size that is none',
    [...good, '--outputs', 'o', '--outputs-max-size', 'big'],
    /--outputs-max-size: "big"/,
  ],
  ['a count that is none', [...good, '--outputs', 'o', '--outputs-max-files', '-1e3'], /--outputs-max-files/],
  ['a user by name', [...good, '--user', 'root'], /--user: "root"/],
  ['root where it is forbidden', [...good, '--user', '0', '--profile', 'restricted'], /--user 0 is root/],
  ['an unknown profile', [...good, '--profile', 'privileged'], /--profile: .*baseline, restricted/],
  ['an unknown pull rule', [...good, '--pull', 'sometimes'], /--pull: .*always, missing, never/],
  ['memory in thousandths', [...good, '--memory', '512m'], /--memory: /],
  ['a label that is none', [...good, '--node-selector', 'x'], /--node-selector: "x"/],
  ['two values of a label', [...good, '--node-selector', 'a=1', '--node-selector', 'a=2'], 'two values of a'],
  ['a taint with an unknown effect', [...good, '--toleration', 'a:Never'], /--toleration: "Never"/],
  ['a Secret that cannot be', [...good, '--image-pull-secret', 'A_B'], /--image-pull-secret: "A_B"/],
  ['a patch that is a list', [...good, '--pod-patch', 'list.yml'], /--pod-patch: "list.yml"/],
  ['a patch that is broken', [...good, '--pod-patch', 'broken.yml'], /--pod-patch: "broken.yml" is neither/],
  ['an impossible namespace', [...good, '-n', 'Default'], /--namespace: "Default"/],
  ['a missing kubeconfig', [...good, '--kubeconfig', 'none'], /--kubeconfig: "none" does not exist/],
  ['--embedded with --kubeconfig', [...good, '--embedded', '--kubeconfig', 'plain'], 'exclude each other'],
  ['--embedded with --keep', [...good, '--embedded', '--keep'], 'exclude each other'],
  ['-q with -v', [...good, '-q', '-v'], /--quiet and --verbose exclude each other/],
  ['--kubectl without its transport', [...good, '--kubectl', '/bin/kubectl'], /--transport kubectl/],
];

describe('bad input is one line, exit code 2, and nothing is made', () => {
  it.each(table)('%s', async (_, argv, message) => {
    const before = await readdir(folder);
    const { context, stdout, stderr } = testContext({}, folder);
    await runCli(['run', ...argv], context);
    expect(stderr()).toMatch(message);
    expect(stderr()).toMatch(/^knotless-runner-k8s: [^\n]+\n$/);
    expect(context.process.exitCode).toBe(2);
    expect(stdout()).toBe('');
    expect(await readdir(folder)).toEqual(before);
  });

  it('names the variable where that was wrong', async () => {
    const { context, stderr } = testContext({ KNOTLESS_K8S_TIMEOUT: 'soon' }, folder);
    await runCli(['run', ...good], context);
    expect(stderr()).toMatch(/KNOTLESS_K8S_TIMEOUT: "soon"/);
    expect(context.process.exitCode).toBe(2);
  });

  it('shows nothing that could drive the terminal', async () => {
    const { context, stderr } = testContext({}, folder);
    await runCli(['run', ...good, '--image', 'x\u001b[2J\u009b2J'], context);
    expect(stderr()).not.toMatch(/[\u001b\u009b]/);
  });
});

describe('the program itself', () => {
  it.each([
    [['--help'], /Usage: knotless-runner-k8s COMMAND/],
    [['-h'], /Usage: knotless-runner-k8s COMMAND/],
    [[], /Usage: knotless-runner-k8s COMMAND/],
    [['help'], /Usage: knotless-runner-k8s COMMAND/],
    [['help', 'run'], /Usage: knotless-runner-k8s run .*\n[\s\S]*Examples:\n/],
    [['run', '--help'], /Usage: knotless-runner-k8s run .*\n[\s\S]*Examples:\n/],
    [['run', '--name', 'x', '-h'], /Usage: knotless-runner-k8s run/],
    [['cluster', '--help'], /Usage: knotless-runner-k8s cluster .*\n[\s\S]*Examples:\n/],
    [['help', '--help'], /Usage: knotless-runner-k8s COMMAND/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%j prints help or version, exit code 0', async (argv, text) => {
    const { context, stdout, stderr } = testContext();
    await runCli(argv, context);
    expect(stdout()).toMatch(text);
    expect(stderr()).toBe('');
    expect(context.process.exitCode).toBe(0);
  });

  it.each([
    [['rum'], /there is no command "rum"; did you mean run\?/],
    [['constructor'], /there is no command "constructor"/],
    [['help', 'rum'], /there is no command "rum"/],
    [['--bogus'], /there is no command/],
    [['run', '--privileged'], /unknown flag --privileged; see knotless-runner-k8s COMMAND --help/],
    [['cluster', '--nod-delay', '1s'], /unknown flag --nod-delay; did you mean --node-delay\?/],
  ])('%j is refused, exit code 2', async (argv, text) => {
    const { context, stderr } = testContext();
    await runCli(argv, context);
    expect(stderr()).toMatch(text);
    expect(stderr()).toMatch(/^[^\n]+\n$/);
    expect(context.process.exitCode).toBe(2);
  });
});
