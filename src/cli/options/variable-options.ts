import { badInput } from '../../base/errors.ts';
import type { EnvFileEntry } from '../../workflow/env-file.ts';
import { parseEnvFile } from '../../workflow/env-file.ts';
import type { Environment } from '../cli-context.ts';
import { secretFlags } from '../commands/secret-flags.ts';
import { readInputBytes } from './input-files.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import { parseSecrets } from './secrets.ts';
import type { Variable } from './variables.ts';
import { checkValue, parseVariable } from './variables.ts';

export interface Variables {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** As docker has it: later ones stand above earlier ones, and `--env` above every `--env-file`. */
export async function parseVariables(
  reader: RunOptionReader,
  cwd: string,
  environment: Environment,
): Promise<Variables> {
  const fromFiles = await reader.parsedListLater('env-file', async (file) =>
    valuesOf(parseEnvFile(await readInputBytes(cwd, file, 16 * 1024 * 1024), file), environment),
  );
  const given = reader.parsedList('env', (text) => parseVariable(text, environment));
  const variables = new Map([...fromFiles.flat(), ...given.filter((variable) => variable !== null)]);
  const secrets = await parseSecrets(reader.part(secretFlags), cwd, environment);
  for (const name of Object.keys(secrets)) {
    if (variables.has(name)) {
      throw badInput(
        `${name} is given as a variable and as a secret; a variable would be shown, so give only --secret ${name}`,
      );
    }
  }
  return { environment: Object.fromEntries(variables), secrets };
}

/** A name alone takes the value that it has here; one that is not set here is left out, as docker does. */
function valuesOf(entries: readonly EnvFileEntry[], environment: Environment): readonly Variable[] {
  return entries.flatMap(({ name, value = environment[name] }) =>
    value === undefined ? [] : [[name, checkValue(name, value)] as const],
  );
}
