import { expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/executor/executor.ts';
import { dockerExecutor } from '../contract/docker-executor.ts';
import { endOf, openToEnd } from '../contract/end-of-place.ts';
import { openRequest } from '../contract/open-request.ts';
import { Recorder } from '../contract/recorder.ts';
import { Session } from '../contract/session.ts';
import type { Venue } from '../contract/venue.ts';
import type { Engine } from './engine.ts';

/** What only a container of an engine has, and the ends that only it can come to. */
export function containerContract(venue: Venue, engine: Engine): void {
  const { url, view } = engine;
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  async function open(network: 'open' | 'isolated' | 'none'): Promise<Sandbox> {
    const sandbox = await dockerExecutor(url, { network }).open(openRequest(), new Recorder(), soon());
    onTestFinished(async () => {
      await sandbox.close(soon());
    });
    return sandbox;
  }

  it('is one container and one network, with exact labels and no more rights than it needs', async () => {
    const request = openRequest({ run: { id: 'id-1', name: 'My build: "x" =,', runner: 'did:web:a%3A1' } });
    const sandbox = await venue.executor().open(request, new Recorder(), soon());
    onTestFinished(async () => {
      await sandbox.close(soon());
    });
    const { name } = sandbox.place;
    expect([...(await venue.remains(name))].sort()).toEqual([`container /${name}`, `network ${name}`]);
    const seen = await view.container(name);
    expect(seen?.Config.Labels).toMatchObject({
      'knotless-runner-k8s/run-id': 'id-1',
      'knotless-runner-k8s/run-name': 'My build: "x" =,',
      'knotless-runner-k8s/runner': 'did:web:a%3A1',
    });
    expect(seen?.HostConfig.Privileged).toBe(false);
    expect(seen?.HostConfig.CapAdd ?? []).toEqual([]);
    expect(seen?.HostConfig.SecurityOpt?.join()).toContain('no-new-privileges');
    expect(seen?.HostConfig.PidsLimit).toBeGreaterThan(0);
    expect(seen?.Mounts.filter(({ Source: source = '' }) => source.startsWith('/'))).toEqual([]);
    const session = new Session(sandbox);
    expect(await session.output('find / -xdev -name "*.sock" 2>/dev/null || :')).toBe('');
  });

  it('has only loopback with no network, and nothing to remove but itself', async () => {
    const sandbox = await open('none');
    expect(await new Session(sandbox).output('ls /sys/class/net')).toBe('lo\n');
    expect(await venue.remains(sandbox.place.name)).toHaveLength(1);
  });

  it('tells a container that somebody killed', async () => {
    const sandbox = await openToEnd(venue);
    const disturb = (): Promise<void> => view.kill(sandbox.place.name);
    const error = await endOf(venue, sandbox, { what: 'killed container', disturb });
    expect(error).toMatchObject({ code: 'PodDeleted' });
    expect(error.message).toContain(sandbox.place.name);
  });

  it('does not touch a container of the same name that it did not make', async () => {
    const sandbox = await open('isolated');
    const { name } = sandbox.place;
    await view.remove(name);
    const foreign = await view.makeContainer(name);
    onTestFinished(() => view.remove(foreign));
    await sandbox.close(soon());
    expect((await view.container(name))?.State.Status).toBe('running');
    expect((await view.container(name))?.Id).toBe(foreign);
  });

  if (engine.takesContainersAlong) {
    it('tells an engine that was restarted, and the container with it', async () => {
      const sandbox = await openToEnd(venue);
      const step = new Session(sandbox).run('echo ready; sleep 60', { onOutput: () => void restarted() });
      let restarting: Promise<void> | undefined;
      const restarted = (): Promise<void> => {
        restarting ??= engine.restart();
        return restarting;
      };
      await expect(step).rejects.toMatchObject({ code: 'NodeLost' });
      await restarting;
    });
  } else {
    it('goes on where its engine was restarted, with no byte lost', async () => {
      const sandbox = await openToEnd(venue);
      let restarting: Promise<void> | undefined;
      const { text } = await new Session(sandbox).run(
        'i=0; while [ $i -lt 8 ]; do echo $i; i=$((i + 1)); sleep 1; done',
        {
          onOutput: () => {
            restarting ??= engine.restart();
          },
        },
      );
      await restarting;
      expect(text).toBe('0\n1\n2\n3\n4\n5\n6\n7\n');
    });
  }
}
