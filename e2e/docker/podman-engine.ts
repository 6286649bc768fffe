import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { startEngine } from './start-engine.ts';

/** Podman's service that speaks as Docker Engine does, with everything it keeps in a folder of its own. */
export const startPodmanEngine = (archives: readonly string[]): Promise<Engine> =>
  startEngine(
    {
      kind: 'podman',
      name: (version) => `Podman ${version}`,
      configuration: { file: 'containers.conf', text: configuration },
      command: ({ url, at }) => ({
        argv: [
          ...['podman', '--root', at('root'), '--runroot', at('run'), '--network-config-dir', at('networks')],
          ...['--storage-driver', 'vfs', '--cgroup-manager', 'cgroupfs', '--events-backend', 'file'],
          ...['--tmpdir', at('tmp'), 'system', 'service', '--time=0', url],
        ],
        environment: { CONTAINERS_CONF: at('containers.conf') },
      }),
      recordsBodies: false,
      tellsOfMemory: existsSync('/sys/fs/cgroup/cgroup.controllers'),
      takesContainersAlong: false,
    },
    archives,
  );

/**
 * Locks in files, since those in shared memory are the whole machine's. Limits that root may set where it lacks
 * CAP_SYS_RESOURCE.
 */
const configuration = (folder: string): string => `
[containers]
default_ulimits = ["nofile=8192:8192", "nproc=8192:8192"]
[engine]
lock_type = "file"
init_path = "/usr/bin/docker-init"
static_dir = "${join(folder, 'static')}"
volume_path = "${join(folder, 'volumes')}"
`;
