import type { Command } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import { programName } from '../program-name.ts';
import type { FlagTable } from './flag-definition.ts';
import { variableOf } from './flag-definition.ts';

export interface CommandHelp {
  /** After the program's name: `run --name NAME …`. */
  readonly usage: string;
  readonly description: string;
  readonly examples: readonly Example[];
}

interface Example {
  readonly what: string;
  /** Shell lines, without the prompt. */
  readonly command: string;
}

/** A command and its help, which is ours: stricli's has no groups, values and examples. */
export interface DocumentedCommand {
  readonly command: Command<CliContext>;
  readonly brief: string;
  readonly helpText: () => string;
}

export function documented(
  command: Command<CliContext>,
  help: CommandHelp,
  flags: FlagTable,
  aliases: Readonly<Record<string, string>> = {},
): DocumentedCommand {
  const helpText = (): string => formatCommandHelp(help, flags, aliases);
  return { command: { ...command, formatHelp: helpText }, brief: command.brief, helpText };
}

/** The help of a command: usage, what it does, examples, its flags by group. */
function formatCommandHelp(
  help: CommandHelp,
  flags: FlagTable,
  aliases: Readonly<Record<string, string>>,
): string {
  return [
    `Usage: ${programName} ${help.usage}`,
    '',
    help.description,
    '',
    'Examples:',
    ...help.examples.flatMap(({ what, command }) => [`  # ${what}`, ...indent(command), '']),
    ...flagsHelp(flags, aliases),
  ].join('\n');
}

function flagsHelp(flags: FlagTable, aliases: Readonly<Record<string, string>>): readonly string[] {
  if (Object.keys(flags).length === 0) return [];
  return [
    ...flagLines(flags, aliases),
    `Each flag can be set by a variable instead: ${exampleVariable(flags)}.`,
    'A flag stands above its variable; for a flag that can be repeated, the variable holds one value a line.',
    '',
  ];
}

const indent = (text: string): readonly string[] => text.split('\n').map((line) => `  ${line}`);

function exampleVariable(flags: FlagTable): string {
  const names = Object.keys(flags);
  const name = names.find((candidate) => candidate.includes('-')) ?? names[0] ?? '';
  return `--${name} by ${variableOf(name)}`;
}

function flagLines(flags: FlagTable, aliases: Readonly<Record<string, string>>): readonly string[] {
  const lines: string[] = [];
  const letterOf = new Map(Object.entries(aliases).map(([letter, name]) => [name, letter]));
  const heads = new Map(
    Object.entries(flags).map(([name, flag]) => [name, head(name, flag, letterOf.get(name))]),
  );
  const width = Math.max(...[...heads.values()].map((text) => text.length));
  let group = '';
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.group !== group) lines.push(`${flag.group}:`);
    group = flag.group;
    lines.push(`  ${(heads.get(name) ?? '').padEnd(width)}  ${flag.brief}${remark(flag)}`);
    if (isLastOfGroup(flags, name)) lines.push('');
  }
  return lines;
}

function isLastOfGroup(flags: FlagTable, name: string): boolean {
  const names = Object.keys(flags);
  const next = names[names.indexOf(name) + 1];
  return next === undefined || flags[next]?.group !== flags[name]?.group;
}

function head(name: string, flag: FlagTable[string], letter: string | undefined): string {
  const short = letter === undefined ? '    ' : `-${letter}, `;
  return flag.kind === 'boolean' ? `${short}--${name}` : `${short}--${name} ${flag.placeholder}`;
}

function remark(flag: FlagTable[string]): string {
  if ('variadic' in flag) return ' (can be repeated)';
  return 'fallback' in flag && flag.fallback !== undefined ? ` (${flag.fallback})` : '';
}
