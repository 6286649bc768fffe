import type { ApplicationText } from '@stricli/core';
import {
  AliasNotFoundError,
  ArgumentParseError,
  FlagNotFoundError,
  text_en,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from '@stricli/core';
import { messageOf } from '../base/errors.ts';
import { programName } from './program-name.ts';
import { safeLine } from './terminal/safe-text.ts';

const hint = `see ${programName} --help`;
const flagHint = `see ${programName} COMMAND --help`;

/**
 * What stricli says of a wrong command line: one line that names what is wrong and what to do. What was given
 * as a value is not repeated, for it may be a secret that slipped.
 */
export const applicationText: ApplicationText = {
  ...text_en,
  noCommandRegisteredForInput: ({ input, corrections }) =>
    `${programName}: there is no command ${JSON.stringify(input)}; ${didYouMean(
      corrections.map((name) => name.replaceAll('`', '')),
      hint,
    )}`,
  exceptionWhileParsingArguments: (error) => `${programName}: ${usageMessage(error)}`,
  exceptionWhileLoadingCommandFunction: (error) =>
    `${programName}: the program is incomplete (${messageOf(error)}); install it again`,
  exceptionWhileRunningCommand: (error) => `${programName}: ${safeLine(messageOf(error))}`,
  commandErrorResult: (error) => `${programName}: ${safeLine(messageOf(error))}`,
};

const didYouMean = (corrections: readonly string[], otherwise: string): string =>
  corrections.length > 0 ? `did you mean ${corrections.join(' or ')}?` : otherwise;

function usageMessage(error: unknown): string {
  if (error instanceof FlagNotFoundError) {
    const corrections = error.corrections.slice(0, 3).map((name) => `--${name}`);
    return `unknown flag --${error.input}; ${didYouMean(corrections, flagHint)}`;
  }
  if (error instanceof AliasNotFoundError) return `unknown flag -${error.input}; ${flagHint}`;
  if (error instanceof UnsatisfiedFlagError) {
    const name = error.externalFlagName;
    return `--${name} needs a value; write --${name}=VALUE (also for a value that begins with -)`;
  }
  if (error instanceof UnexpectedFlagError) {
    return `--${error.externalFlagName} is given twice; give it once`;
  }
  if (error instanceof UnsatisfiedPositionalError) return `${error.placeholder} is missing; ${hint}`;
  if (error instanceof UnexpectedPositionalError) {
    const place = error.input === '' ? ' (an empty one)' : '';
    return `there is an argument${place} that belongs to no flag; values follow their flag, as --flag=VALUE; ${flagHint}`;
  }
  if (error instanceof ArgumentParseError) {
    return `--${error.externalFlagNameOrPlaceholder} is a switch; write it alone, or with =true or =false`;
  }
  return `the command line cannot be read (${messageOf(error)}); ${hint}`;
}
