import { badInput } from '../../base/errors.ts';
import type { PodSettings } from '../../executor/kubernetes/pod-settings.ts';
import { checkCpu, checkMemory } from '../../workflow/quantity.ts';
import type { podFlags } from '../commands/pod-flags.ts';
import type { OptionReader } from '../flags/option-reader.ts';
import { readPodPatch } from './pod-patch-file.ts';
import { parseNodeSelector, parseObjectName, parseToleration, parseUser } from './pod-values.ts';
import { checked, oneOf } from './scalars.ts';

type PodOptionReader = OptionReader<typeof podFlags>;

const pullPolicies = {
  always: 'Always',
  missing: 'IfNotPresent',
  never: 'Never',
  default: undefined,
} as const;

export async function parsePodOptions(reader: PodOptionReader, cwd: string): Promise<PodSettings> {
  const profile = reader.parsed('profile', oneOf('baseline', 'restricted')) ?? 'baseline';
  const user = reader.parsed('user', parseUser);
  if (profile === 'restricted' && user?.uid === 0) {
    throw badInput(
      '--user 0 is root, which the profile "restricted" forbids; choose another user or profile',
    );
  }
  return {
    pullPolicy: pullPolicies[reader.parsed('pull', oneOf('always', 'missing', 'never')) ?? 'default'],
    cpu: reader.parsed('cpu', checked(checkCpu)),
    memory: reader.parsed('memory', checked(checkMemory)),
    user,
    nodeSelector: parseNodeSelectors(reader),
    tolerations: reader.parsedList('toleration', parseToleration),
    imagePullSecrets: reader.parsedList('image-pull-secret', parseObjectName),
    serviceAccount: reader.parsed('service-account', parseObjectName),
    profile,
    network: reader.parsed('network', oneOf('open', 'isolated', 'none')) ?? 'isolated',
    patch: await reader.parsedLater('pod-patch', (name) => readPodPatch(cwd, name)),
  };
}

function parseNodeSelectors(reader: PodOptionReader): Readonly<Record<string, string>> {
  const selectors = new Map<string, string>();
  for (const [key, value] of reader.parsedList('node-selector', parseNodeSelector)) {
    if ((selectors.get(key) ?? value) !== value) {
      throw badInput(`${reader.label('node-selector')}: no node has two values of ${key}; give one`);
    }
    selectors.set(key, value);
  }
  return Object.fromEntries(selectors);
}
