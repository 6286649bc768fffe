import { text, textOr } from '../flags/flag-definition.ts';
import { connectionFlags } from './connection-flags.ts';

const where = 'Where';

/** The flags that say in what kind of place a run runs. */
export const engineFlags = {
  executor: textOr(
    'kubernetes',
    where,
    'kubernetes|docker',
    'a Job on a cluster, or a container of an engine',
  ),
  engine: text(
    where,
    'URL',
    'the Docker or Podman engine; else DOCKER_HOST, the docker context, the usual sockets',
  ),
} as const;

/** The flags that say where runs are, for the commands that look at them. */
export const whereFlags = { ...engineFlags, ...connectionFlags } as const;
