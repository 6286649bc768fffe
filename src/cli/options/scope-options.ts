import { dirname, join, resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { parseTimeLimit } from '../../workflow/duration.ts';
import type { CliContext } from '../cli-context.ts';
import { connectionFlags } from '../commands/connection-flags.ts';
import type { scopeFlags } from '../commands/scope-flags.ts';
import type { OptionReader } from '../flags/option-reader.ts';
import { programName } from '../program-name.ts';
import { parseConnectionOptions } from './cluster-options.ts';
import { checkWritableFile, checkWritableFolder } from './output-targets.ts';
import { parseObjectName } from './pod-values.ts';
import type { ConnectionOptions } from './run-options.ts';
import { parseText, quote } from './scalars.ts';

export interface ScopeOptions {
  readonly mode: 'make' | 'renew' | 'revoke';
  readonly name: string;
  readonly durationMs: number;
  readonly createNamespace: boolean;
  readonly file: string;
  readonly connection: ConnectionOptions;
  readonly verbose: boolean;
}

/** What the API server grants at least. */
const shortestMs = 10 * 60_000;

export async function parseScopeOptions(
  reader: OptionReader<typeof scopeFlags>,
  { cwd, homeFolder }: CliContext,
): Promise<ScopeOptions> {
  const mode = modeOf(reader);
  for (const flag of idleFlags[mode]) {
    if (reader.origin(flag) === 'flag')
      throw badInput(`--${flag} has no effect with --${mode}; leave it out`);
  }
  const name = reader.parsed('service-account', parseObjectName) ?? '';
  const file = reader.parsed('output', (text) => resolve(cwd, parseFile(text)));
  const chosen = file ?? join(homeFolder, '.tmp', programName, 'tenant', `${name}.kubeconfig.yaml`);
  await checkWritableFile(chosen);
  await checkWritableFolder(dirname(chosen)); // where the new one lies until it is proven
  return {
    mode,
    name,
    durationMs: reader.parsed('duration', parseTokenTime) ?? 0,
    createNamespace: reader.enabled('create-namespace'),
    file: chosen,
    connection: await parseConnectionOptions(reader.part(connectionFlags), cwd),
    verbose: reader.enabled('verbose'),
  };
}

const idleFlags = {
  make: [],
  renew: ['create-namespace'],
  revoke: ['create-namespace', 'duration'],
} as const;

function modeOf(reader: OptionReader<typeof scopeFlags>): ScopeOptions['mode'] {
  const [isRenewal, isRevocation] = [reader.enabled('renew'), reader.enabled('revoke')];
  if (isRenewal && isRevocation) {
    throw badInput('--renew and --revoke exclude each other; give one of them');
  }
  return isRenewal ? 'renew' : isRevocation ? 'revoke' : 'make';
}

/** Elsewhere `-o` names a format, and KNOTLESS_K8S_OUTPUT may do so too. */
function parseFile(text: string): string {
  if (text === '-') throw badInput('- is no place for a token, which must not be printed; name a file');
  if (/^(json|yaml|table|wide|name)$/.test(text)) {
    throw badInput(`${quote(text)} is a format, and a file is wanted here; write ./${text} if you mean one`);
  }
  return parseText(text);
}

function parseTokenTime(text: string): number {
  const ms = parseTimeLimit(text);
  if (ms < shortestMs) throw badInput(`${quote(text)} is too short; a cluster gives tokens for 10m at least`);
  return ms;
}
