import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import type { Cluster, PlaceSettings, Transport } from './cluster.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';

/** Runs in pods that the caller or the cluster has made otherwise than the runner does. */
export function podSettingsContract(cluster: Cluster, transport: Transport): void {
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  async function open(settings: Partial<PlaceSettings>, image = 'busybox:1.36'): Promise<Session> {
    const executor = cluster.executor({ transport, ...settings });
    const sandbox = await executor.open(openRequest({ image }), new Recorder(), soon());
    const name = sandbox.place.kind === 'job' ? sandbox.place.name : '';
    onTestFinished(async () => {
      expect(await sandbox.close(soon())).toMatchObject({ deleted: true, leftover: null });
      const left = await cluster.view.objectsOf(cluster.namespace, name);
      expect(left).toEqual({ jobs: [], pods: [], policies: [] });
    });
    return new Session(sandbox);
  }

  const sidecar = (command: string) => ({
    name: 'proxy',
    image: 'busybox:1.36',
    command: ['sh', '-c', command],
  });

  it('runs steps in its own container where another was put before it', async () => {
    const session = await open({ injected: sidecar('trap "exit 143" TERM; while :; do sleep 1; done') });
    expect(await session.output('echo one >/work/a')).toBe('');
    expect(await session.output('cat /work/a')).toBe('one\n');
  });

  it('is not failed by a sidecar that crashes', async () => {
    const session = await open({ injected: sidecar('sleep 1; exit 3') });
    expect(await session.output('sleep 3; echo passed')).toBe('passed\n');
    expect(await session.output('echo too')).toBe('too\n');
  });

  it('has what steps write to where the root is read-only', async () => {
    const securityContext = { readOnlyRootFilesystem: true };
    const session = await open({ patch: { containers: [{ name: 'run', securityContext }] } });
    const command = [
      'touch /work/a /steps/b /outputs/c /tmp/d "$HOME/e"',
      'printf "echo from a shared step\\n" >/steps/x.sh; sh /steps/x.sh',
      'if touch /not-here 2>/dev/null; then echo the root can be written; fi',
    ];
    expect(await session.output(command.join('\n'))).toBe('from a shared step\n');
  });

  itIfAble(cluster.can.git, 'lets git work in the checkout of an ordinary user', async (image) => {
    const folder = await temporaryFolder();
    onTestFinished(() => removeFolder(folder));
    const git = (...argv: readonly string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...argv], {
        cwd: folder,
      });
    await git('init', '-q');
    await writeFile(join(folder, 'file'), 'x');
    await git('add', 'file');
    await git('commit', '-qm', 'first');
    const session = await open({ user: { uid: 10_001, gid: undefined } }, image);
    const listing = await listTree(folder, { files: 'all', exclude: [] });
    const archive = packTrees([{ listing, target: 'work', executable: false }], () => {});
    await session.sandbox.send(archive, { progress: () => {} }, soon());
    expect(await session.output('git status --short; git log --format=%s; echo more >>file')).toBe('first\n');
    expect(await session.output('[ "$(id -u)" != 10001 ] || : >"$HOME/.probe"')).toBe('');
  });
}
