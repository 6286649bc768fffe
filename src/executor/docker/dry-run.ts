import type { OpenRequest } from '../executor.ts';
import { objectName } from '../object-name.ts';
import { execOf, type Program, stepsPurpose } from '../step-protocol/programs.ts';
import { type ContainerConfig, containerConfig, sharedNetworks } from './container-config.ts';
import type { ContainerSettings } from './container-settings.ts';
import { folderNames } from './run-folders.ts';
import { networkConfig } from './run-network.ts';

export interface DockerDryRun {
  readonly request: OpenRequest;
  readonly container: ContainerSettings;
  /** What `--engine` says. */
  readonly engine: string | undefined;
  readonly steps: number;
  /** Whether a checkout or shared steps are sent. */
  readonly sends: boolean;
  /** Whether outputs are fetched. */
  readonly fetches: boolean;
}

interface DockerCommand {
  /** For a person: what it is for. */
  readonly purpose: string;
  readonly words: readonly string[];
  /** For a person: what goes in. */
  readonly input?: string;
}

/** The plan as text: the container's configuration first, then the equal docker commands. Holds no secret. */
export function dockerDryRunText(options: DockerDryRun, toYaml: (value: unknown) => string): string {
  const config = configOf(options);
  const program = options.engine === undefined ? ['docker'] : ['docker', '-H', options.engine];
  const lines = commands(options, config).map(({ purpose, words, input }) => {
    const line = [...program, ...words].map(quoted).join(' ');
    return `# ${purpose}\n${line}${input === undefined ? '' : ` < ${input}`}\n`;
  });
  return (
    `# Nothing was sent. This is the configuration of the run's container:\n${toYaml(config).trimEnd()}\n\n` +
    `# and these are the docker commands that do the same, in order:\n${lines.join('')}`
  );
}

function configOf({ request, container }: DockerDryRun): ContainerConfig {
  const { network } = container;
  const name = network === 'isolated' ? objectName(request.run.name) : sharedNetworks[network];
  return containerConfig(request, container, name);
}

function commands(options: DockerDryRun, config: ContainerConfig): readonly DockerCommand[] {
  const { request, container, sends, fetches } = options;
  const name = objectName(request.run.name);
  const exec = (purpose: string, program: Program): DockerCommand => ({
    purpose,
    words: ['exec', '-i', name, ...execOf(program)],
  });
  const own = container.network === 'isolated';
  return [
    ...imageCommands(request.image, container.pull),
    ...(own ? [networkCommand(options, name)] : []),
    { purpose: 'create the container', words: createWords(name, config) },
    {
      purpose: 'make the folders that anybody may write to',
      words: ['cp', '-', `${name}:/`],
      input: `an archive of ${folderNames.join(' ')}`,
    },
    { purpose: 'start it', words: ['start', name] },
    { purpose: 'watch it', words: ['events', '--filter', `container=${name}`] },
    exec('greet the container, renew its lease, stop steps', 'control'),
    ...(sends
      ? [
          {
            purpose: 'unpack checkout and shared steps',
            words: ['cp', '-', `${name}:/`],
            input: 'an archive of them',
          },
        ]
      : []),
    exec(stepsPurpose(options.steps), 'step'),
    ...(fetches ? [exec('pack the outputs', 'send')] : []),
    ...(request.keep ? [] : removal(name, own)),
  ];
}

function imageCommands(image: string, pull: ContainerSettings['pull']): readonly DockerCommand[] {
  const look = { purpose: 'see whether the image is there', words: ['image', 'inspect', image] };
  const fetch = { purpose: 'pull it', words: ['pull', image] };
  switch (pull) {
    case 'always':
      return [fetch, look];
    case 'missing':
      return [look, { ...fetch, purpose: 'pull it, where it is not' }];
    case 'never':
      return [look];
  }
}

function networkCommand({ request }: DockerDryRun, name: string): DockerCommand {
  const { Driver: driver, Labels: labels } = networkConfig(request.run, name);
  return {
    purpose: 'create the network',
    words: ['network', 'create', '--driver', driver, ...labelWords(labels), name],
  };
}

const labelWords = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]);

function createWords(name: string, config: ContainerConfig): readonly string[] {
  const { HostConfig: host, Entrypoint: entrypoint } = config;
  const [program = 'sh', ...rest] = entrypoint;
  return [
    ...['create', '--name', name, ...labelWords(config.Labels)],
    ...['--workdir', config.WorkingDir, '--stop-signal', config.StopSignal, '--no-healthcheck'],
    ...(config.User === undefined ? [] : ['--user', config.User]),
    ...['--network', host.NetworkMode],
    ...host.SecurityOpt.flatMap((option) => ['--security-opt', option]),
    ...(host.CapDrop ?? []).flatMap((capability) => ['--cap-drop', capability]),
    ...(host.Memory === undefined ? [] : ['--memory', String(host.Memory)]),
    ...(host.MemorySwap === undefined ? [] : ['--memory-swap', String(host.MemorySwap)]),
    ...(host.NanoCpus === undefined ? [] : ['--cpus', String(host.NanoCpus / 1e9)]),
    ...['--pids-limit', String(host.PidsLimit)],
    ...Object.entries(host.Tmpfs).flatMap(([path, how]) => ['--tmpfs', `${path}:${how}`]),
    ...['--entrypoint', program, config.Image, ...rest],
  ];
}

function removal(name: string, hasNetwork: boolean): readonly DockerCommand[] {
  return [
    { purpose: 'remove the container', words: ['rm', '-f', '-v', name] },
    ...(hasNetwork ? [{ purpose: 'remove the network', words: ['network', 'rm', name] }] : []),
  ];
}

const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
