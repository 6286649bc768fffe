import type { Application, Command, RouteMap, StricliIntegration } from '@stricli/core';
import { buildApplication, buildRouteMap, run as runStricli, version } from '@stricli/core';
import { asRunnerError } from '../base/errors.ts';
import { exitCodeOfError } from '../run/exit-code.ts';
import type { CliContext } from './cli-context.ts';
import { attach } from './commands/attach.ts';
import { cancel } from './commands/cancel.ts';
import { cluster } from './commands/cluster.ts';
import { doctor } from './commands/doctor.ts';
import { type HelpCommand, helpCommand } from './commands/help.ts';
import { ls } from './commands/ls.ts';
import { prune } from './commands/prune.ts';
import { run } from './commands/run.ts';
import { scope } from './commands/scope.ts';
import { create } from './commands/tenant/create.ts';
import { deleteCluster } from './commands/tenant/delete.ts';
import { kubeconfig } from './commands/tenant/kubeconfig.ts';
import { signIn } from './commands/tenant/sign-in.ts';
import { status } from './commands/tenant/status.ts';
import { applicationText } from './error-text.ts';
import { splitArguments } from './kubectl-habits.ts';
import { programName } from './program-name.ts';
import { readVersion } from './version.ts';

const commands = {
  run,
  attach,
  ls,
  cancel,
  prune,
  doctor,
  'tenant sign-in': signIn,
  'tenant create': create,
  'tenant status': status,
  'tenant kubeconfig': kubeconfig,
  'tenant delete': deleteCluster,
  'kubeconfig scope': scope,
  cluster,
};

/** Runs the command that `argv` names and leaves its exit code in `context.process.exitCode`. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<void> {
  await runStricli(buildCli(), splitArguments(argv), context);
  // stricli's own codes, for a command line that it cannot read, are negative
  const code = context.process.exitCode ?? 0;
  context.process.exitCode = code < 0 ? 2 : code;
}

function buildCli(): Application<CliContext> {
  const help = helpCommand(commands);
  const root = buildRouteMap<string, CliContext>({
    routes: { ...routesOf(help), help: help.command },
    docs: { brief: programName },
  });
  return buildApplication<CliContext>(
    { ...root, formatHelp: help.overview },
    {
      name: programName,
      scanner: { caseStyle: 'original', allowArgumentEscapeSequence: true },
      localization: { text: applicationText },
      determineExitCode: (error) => exitCodeOfError(asRunnerError(error)),
    },
    {
      help: helpFlag,
      version: version<CliContext>({
        brief: 'print the version',
        alias: false,
        info: { getCurrentVersion: readVersion },
      }),
    },
  );
}

/** Commands of two words lie below the first of them. */
function routesOf(help: HelpCommand): Record<string, RoutingTarget> {
  const routes: Record<string, RoutingTarget> = {};
  const groups = new Map<string, Record<string, Command<CliContext>>>();
  for (const [name, { command }] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ');
    if (second === undefined) routes[first] = command;
    else groups.set(first, { ...groups.get(first), [second]: command });
  }
  for (const [word, inner] of groups) {
    const group = buildRouteMap<string, CliContext>({ routes: inner, docs: { brief: word } });
    routes[word] = { ...group, formatHelp: () => help.of(word) };
  }
  return routes;
}

type RoutingTarget = Command<CliContext> | RouteMap<CliContext>;

/** `--help` after a command, and what the program does without one. */
const helpFlag: StricliIntegration<CliContext> = {
  flag: {
    brief: 'print help',
    aliases: ['h'],
    global: true,
    defaultForRouteMap: true,
    run(app, { result, text, ansiColorByStream, additionalFlags }) {
      const help = result.target.formatHelp({
        prefix: result.prefix,
        config: app.config.documentation,
        text,
        additionalFlags,
        ansiColor: ansiColorByStream.stdout,
        includeArgumentEscapeSequenceFlag: true,
        includeHidden: false,
      });
      this.process.stdout.write(help);
    },
  },
};
