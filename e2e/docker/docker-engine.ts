import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { EngineProcess } from './engine-process.ts';
import { EngineView } from './engine-view.ts';

/**
 * Debian's Docker Engine with everything it keeps in a folder of its own. It makes no rules for packets and no
 * bridge of the machine's, so that others beside it are left alone.
 */
export async function startDockerEngine(archives: readonly string[]): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'knotless-docker-'));
  const at = (name: string): string => join(folder, name);
  const socket = at('docker.sock');
  const url = `unix://${socket}`;
  const view = new EngineView(socket);
  await writeFile(at('daemon.json'), '{}'); // not the machine's
  const log = at('dockerd.log');
  const engine = new EngineProcess({
    argv: [
      'dockerd',
      '--debug', // so that bodies are in its log
      ...['--config-file', at('daemon.json'), '--pidfile', at('dockerd.pid'), '-H', url],
      ...['--data-root', at('data'), '--exec-root', at('exec')],
      ...['--bridge=none', '--iptables=false', '--ip6tables=false'],
    ],
    folder,
    log,
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
      name: `Docker ${(await view.version()).replace(/\+.*/, '')}`,
      url,
      view,
      record: log,
      tellsOfMemory: true,
      takesContainersAlong: true,
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
