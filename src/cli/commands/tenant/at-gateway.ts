import { join, resolve } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';
import { badInput } from '../../../base/errors.ts';
import { exitCodeOf } from '../../../run/exit-code.ts';
import { defaultProfile, parseProfile } from '../../../tenant/profile/parse-profile.ts';
import type { GatewayProfile } from '../../../tenant/profile/profile-schema.ts';
import { isLoopback } from '../../../tenant/web/safe-origin.ts';
import { WebClient } from '../../../tenant/web/web-client.ts';
import type { CliContext } from '../../cli-context.ts';
import type { OptionReader } from '../../flags/option-reader.ts';
import { readInputFile } from '../../options/input-files.ts';
import { programName } from '../../program-name.ts';
import { readVersion } from '../../version.ts';
import { cancelOnSignals } from '../cancel-on-signals.ts';
import { note } from '../until-signal.ts';
import type { gatewayFlags } from './gateway-flags.ts';

export interface AtGateway {
  readonly profile: GatewayProfile;
  readonly stateFolder: string;
  /** A client with an empty cookie jar. */
  readonly newClient: () => WebClient;
  readonly clock: Clock;
  /** A line for a person, on standard error. */
  readonly say: (message: string) => void;
  /** Aborted by the first signal to this process. */
  readonly signal: AbortSignal;
}

/** What the flags of every `tenant` command say, and how its texts are made safe to show. */
export interface GatewayCommand {
  readonly context: CliContext;
  readonly reader: OptionReader<typeof gatewayFlags>;
  /** Takes out of every line what may not be shown. */
  readonly conceal?: (text: string) => string;
}

const mostProfileBytes = 1024 * 1024;

/** Does `work` at the gateway that the flags name. A signal ends it with the exit code of that signal. */
export async function atGateway(
  { context, reader, conceal = (text) => text }: GatewayCommand,
  work: (gateway: AtGateway) => Promise<void>,
): Promise<void> {
  const { process, cwd, homeFolder } = context;
  const profile = await profileOf(reader, cwd);
  const stateFolder = resolve(
    cwd,
    reader.text('state-dir') ?? join(homeFolder, '.tmp', 'knotless-runner-k8s', 'tenant'),
  );
  const clock = systemClock();
  const say = (message: string): void => note(context, conceal(message));
  const trace = reader.enabled('verbose') ? say : () => {};
  const userAgent = `${programName}/${await readVersion()}`;
  const newClient = (): WebClient => new WebClient({ clock, environment: process.env, userAgent, trace });
  using signalled = cancelOnSignals(context.signals);
  const { cancel } = signalled;
  try {
    await work({ profile, stateFolder, newClient, clock, say, signal: cancel.inOrder });
  } catch (error) {
    if (!cancel.inOrder.aborted) throw error;
    process.exitCode = exitCodeOf({ status: 'cancelled', reason: null }, cancel.cause);
  }
}

async function profileOf(reader: OptionReader<typeof gatewayFlags>, cwd: string): Promise<GatewayProfile> {
  const file = await reader.parsedLater('profile-file', async (path) =>
    parseProfile(await readInputFile(cwd, path, mostProfileBytes), path),
  );
  const profile = file ?? defaultProfile();
  const gateway = reader.parsed('gateway', parseAddress) ?? profile.gateway;
  const url = new URL(gateway);
  if (url.protocol !== 'https:' && !isLoopback(url)) {
    throw badInput(`the gateway ${gateway} is not encrypted; it has to be https, but on this machine`);
  }
  return { ...profile, gateway };
}

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw badInput('is no address of a gateway; write it as https://gateway.example, without a path');
  }
  return url.origin;
}
