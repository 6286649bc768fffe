import { badInput } from '../../base/errors.ts';
import type { Environment } from '../cli-context.ts';
import type { secretFlags } from '../commands/secret-flags.ts';
import type { OptionReader } from '../flags/option-reader.ts';
import { readInputFile } from './input-files.ts';
import { checkValue } from './variables.ts';

/** The values of `--secret`, by name. */
export async function parseSecrets(
  reader: OptionReader<typeof secretFlags>,
  cwd: string,
  environment: Environment,
): Promise<Readonly<Record<string, string>>> {
  const secrets = new Map<string, string>();
  await reader.parsedListLater('secret', async (text) => {
    const source = parseSecretSource(text);
    const value = await readSecret(source, cwd, environment);
    if (secrets.has(source.name)) throw badInput(`${source.name} is given twice; give it once`);
    secrets.set(source.name, value);
  });
  return Object.fromEntries(secrets);
}

/** Where a secret's value is: in the variable of the same name, or in a file. */
interface SecretSource {
  readonly name: string;
  readonly file: string | undefined;
}

/** `NAME` or `NAME=@FILE`. Anything else may be a value, so no message repeats it. */
function parseSecretSource(text: string): SecretSource {
  const [, name, rest] = /^([A-Za-z_][A-Za-z0-9_]*)(=.*)?$/s.exec(text) ?? [];
  if (name === undefined) {
    throw badInput(
      'write NAME, for a variable that is set here, or NAME=@FILE; names are of letters, digits and _',
    );
  }
  if (rest === undefined) return { name, file: undefined };
  if (!rest.startsWith('=@')) {
    throw badInput(
      `a value of ${name} on the command line could be read by everyone here; set the variable ${name} and write ${name} alone, or write ${name}=@FILE`,
    );
  }
  if (rest === '=@') throw badInput(`${name}=@ names no file; write ${name}=@FILE`);
  return { name, file: rest.slice(2) };
}

/** One line end at the file's end is not part of the value: editors and `echo` put it there. */
async function readSecret(source: SecretSource, cwd: string, environment: Environment): Promise<string> {
  const { name, file } = source;
  if (file !== undefined) {
    const content = await readInputFile(cwd, file, 256 * 1024);
    return checkValue(name, content.replace(/\r?\n$/, ''));
  }
  const value = environment[name];
  if (value === undefined) {
    throw badInput(`the variable ${name} is not set; set it, or write ${name}=@FILE`);
  }
  return checkValue(name, value);
}
