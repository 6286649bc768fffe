/**
 * Spellings that kubectl and docker take and stricli does not, in the form that it does: `-eK=V`, `-nNAME` and
 * `-ojson` become two arguments, and so does `--flag=VALUE` where the value is empty or has more than one line.
 */
export function splitArguments(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  const rest = end < 0 ? [] : argv.slice(end);
  return [...flags.flatMap(splitArgument), ...rest];
}

/** `--env`, `--namespace`, `--output`. */
const lettersWithValue = ['e', 'n', 'o'];

function splitArgument(argument: string): readonly string[] {
  const [, flag, value] = /^(--[a-z][a-z0-9-]+|-[a-z])=(.*)$/is.exec(argument) ?? [];
  if (flag !== undefined && value !== undefined) {
    return value === '' || value.includes('\n') ? [flag, value] : [argument];
  }
  const letter = argument[1] ?? '';
  const isAttached = /^-[a-z]./is.test(argument) && lettersWithValue.includes(letter);
  return isAttached ? [`-${letter}`, argument.slice(2)] : [argument];
}
