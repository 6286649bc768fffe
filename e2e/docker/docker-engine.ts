import type { Engine } from './engine.ts';
import { startEngine } from './start-engine.ts';

/**
 * Debian's Docker Engine with everything it keeps in a folder of its own. It makes no rules for packets and no
 * bridge of the machine's, so that others beside it are left alone.
 */
export const startDockerEngine = (archives: readonly string[]): Promise<Engine> =>
  startEngine(
    {
      kind: 'docker',
      name: (version) => `Docker ${version.replace(/\+.*/, '')}`,
      configuration: { file: 'daemon.json', text: () => '{}' },
      command: ({ url, at }) => ({
        argv: [
          'dockerd',
          '--debug', // so that bodies are in its log
          ...['--config-file', at('daemon.json'), '--pidfile', at('dockerd.pid'), '-H', url],
          ...['--data-root', at('data'), '--exec-root', at('exec')],
          ...['--bridge=none', '--iptables=false', '--ip6tables=false'],
        ],
      }),
      recordsBodies: true,
      tellsOfMemory: true,
      takesContainersAlong: true,
    },
    archives,
  );
