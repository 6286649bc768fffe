import { badInput } from '../../base/errors.ts';

/**
 * Reads `NAME=value` and `export NAME="value"` lines as a shell would, without ever running anything: what a
 * shell would have to run or look up is refused. Lines that set none of `names` are not looked at. No error
 * holds anything of a line but its number and the name.
 */
export function parseShellAssignments(
  text: string,
  names: readonly string[],
  file: string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const [, name, rest] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined || !names.includes(name)) continue;
    const value = valueIn(rest, (why) => badInput(`${file}:${index + 1}: the value of ${name} ${why}`));
    found.set(name, value);
  }
  return found;
}

const inDoubleQuotes = /^(?:[^"\\$`]|\\.|\$(?![\w{(@*#?$!-]))*/;
const expansion = 'would be expanded by a shell ($ or `); put it in single quotes, or a backslash before it';

function valueIn(text: string, refuse: (why: string) => Error): string {
  let rest = text;
  let value = '';
  while (rest !== '' && !/^\s/.test(rest)) {
    const [quote = ''] = rest;
    if (quote === "'") {
      const end = rest.indexOf("'", 1);
      if (end < 0) throw refuse('has no closing quote on its line');
      value += rest.slice(1, end);
      rest = rest.slice(end + 1);
    } else if (quote === '"') {
      const [inside = ''] = inDoubleQuotes.exec(rest.slice(1)) ?? [];
      const end = rest[inside.length + 1];
      if (end === undefined || end === '\\') throw refuse('has no closing quote on its line');
      if (end !== '"') throw refuse(expansion);
      value += inside.replace(/\\(["\\$`])/g, '$1');
      rest = rest.slice(inside.length + 2);
    } else {
      const [bare = ''] = /^(?:[^\s'"\\$`;&|<>()]|\\.)+/.exec(rest) ?? [];
      if (bare === '')
        throw refuse(/^[$`]/.test(rest) ? expansion : 'is no plain text; put it in single quotes');
      value += bare.replace(/\\(.)/g, '$1');
      rest = rest.slice(bare.length);
    }
  }
  if (!/^\s*(#.*)?$/.test(rest))
    throw refuse('is followed by something else; put the whole in single quotes');
  return value;
}
