import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { EngineProcess } from './engine-process.ts';
import { EngineView } from './engine-view.ts';

/** Podman's service that speaks as Docker Engine does, with everything it keeps in a folder of its own. */
export async function startPodmanEngine(archives: readonly string[]): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'knotless-podman-'));
  const at = (name: string): string => join(folder, name);
  const socket = at('podman.sock');
  const url = `unix://${socket}`;
  const view = new EngineView(socket);
  await writeFile(at('containers.conf'), configuration(folder));
  const engine = new EngineProcess({
    argv: [
      ...['podman', '--root', at('root'), '--runroot', at('run'), '--network-config-dir', at('networks')],
      ...[
        '--storage-driver',
        'vfs',
        '--cgroup-manager',
        'cgroupfs',
        '--events-backend',
        'file',
        '--tmpdir',
        at('tmp'),
      ],
      ...['system', 'service', '--time=0', url],
    ],
    environment: { CONTAINERS_CONF: at('containers.conf') },
    folder, // conmon leaves a file where it is started
    log: at('podman.log'),
    answers: () => view.isUp(),
  });
  const end = async (): Promise<void> => {
    await view.clear().catch(() => {}); // it may be down already
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await engine.start();
    for (const archive of archives) await view.load(archive);
    return {
      name: `Podman ${await view.version()}`,
      url,
      view,
      record: undefined,
      takesContainersAlong: false,
      tellsOfMemory: existsSync('/sys/fs/cgroup/cgroup.controllers'),
      async restart() {
        await engine.stop();
        await engine.start();
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

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
