import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  type ContainerSettings,
  defaultContainerSettings,
} from '../../src/executor/docker/container-settings.ts';
import { dockerDryRunText } from '../../src/executor/docker/dry-run.ts';
import { openRequest } from '../kubernetes/requests.ts';

const textOf = (settings: Partial<ContainerSettings> = {}, engine?: string): string =>
  dockerDryRunText(
    {
      request: openRequest(),
      container: { ...defaultContainerSettings, ...settings },
      engine,
      steps: 2,
      sends: true,
      fetches: true,
    },
    (value) => stringify(value),
  );

const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^docker (?:-H \S+ )?(\S+(?: (?:create|rm|inspect)\b)?)/gm)].map(
    ([, words = '']) => words,
  );

it('prints the configuration, and each docker command in order', () => {
  expect(commandsIn(textOf())).toEqual([
    ...['image inspect', 'pull', 'network create', 'create', 'cp', 'start', 'events'],
    ...['exec', 'cp', 'exec', 'exec', 'rm', 'network rm'],
  ]);
  expect(textOf()).toContain('no-new-privileges');
});

it('prints what --pull, --network and --engine make of it', () => {
  expect(commandsIn(textOf({ network: 'none', pull: 'never' }))).not.toContain('network create');
  expect(textOf({ network: 'none' })).toContain('--network none');
  expect(textOf({ network: 'open' })).toContain('--network default');
  expect(commandsIn(textOf({ pull: 'never' }))).not.toContain('pull');
  expect(textOf({}, 'ssh://ci@h')).toContain('docker -H ssh://ci@h rm -f');
});

it('prints every limit as docker create takes it', () => {
  const text = textOf({ memoryBytes: 1024, cpus: 0.5, profile: 'restricted', user: { uid: 7, gid: 8 } });
  for (const flag of ['--memory 1024', '--memory-swap 1024', '--cpus 0.5', '--cap-drop ALL', '--user 7:8']) {
    expect(text).toContain(flag);
  }
});
