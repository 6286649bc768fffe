import { expect, it, onTestFinished } from 'vitest';
import type { Cluster, PlaceSettings } from './cluster.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { Transport } from './venue.ts';

/** Runs in pods that the caller or the cluster has made otherwise than the runner does. */
export function podSettingsContract(cluster: Cluster, transport: Transport): void {
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  async function open(settings: Partial<PlaceSettings>): Promise<Session> {
    const executor = cluster.executor({ transport, ...settings });
    const sandbox = await executor.open(openRequest(), new Recorder(), soon());
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
}
