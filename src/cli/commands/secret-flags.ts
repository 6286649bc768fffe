import { list } from '../flags/flag-definition.ts';

export const variablesGroup = 'Variables and secrets';

export const secretFlags = {
  secret: list(
    variablesGroup,
    'NAME',
    'a secret from the variable set here; NAME=@FILE takes it from a file',
  ),
} as const;
