import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectName } from '../../src/executor/object-name.ts';
import { startRelay } from '../relay/relay.ts';
import type { Rule } from '../relay/rules.ts';
import { type AttachGround, attachingContract } from './attaching.ts';
import type { Cluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { type Started, startInProcess } from './in-process.ts';
import { runnerRules } from './rights.ts';
import { holds, runBeside, secret } from './run-beside.ts';
import type { Transport } from './venue.ts';

/** `attach` to a pod: what holds of every place, and what only a cluster has. */
export function clusterAttachingContract(cluster: Cluster, transport: Transport): void {
  const { namespace } = cluster;
  let folder = '';
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  /** An account that has a runner's rights and no more. */
  let account: Promise<string> | undefined;
  const onlooker = (): Promise<string> => {
    account ??= (async () => {
      const token = await cluster.view.makeAccount(namespace, 'onlooker', runnerRules);
      const kubeconfig = join(folder, 'onlooker.kubeconfig');
      await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, namespace), { mode: 0o600 });
      return kubeconfig;
    })();
    return account;
  };
  const ground: AttachGround = {
    arguments: ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace, '--transport', transport],
    attach: async (home, words) =>
      startInProcess(cluster, transport, home, ['attach', ...words, '--namespace', namespace], {
        kubeconfig: await onlooker(),
        env: { TOKEN: secret },
      }),
    isThere: (name) =>
      eventually(`the Job of ${name}`, async () =>
        (await cluster.view.job(namespace, objectName(name))) ? true : undefined,
      ),
    over: 'its Job was deleted',
    where: `in the namespace ${namespace}`,
  };
  attachingContract(ground);

  it('tells why a run waits, and ends with it', async () => {
    const name = 'attach waiting';
    let told = '';
    const ended = await runBeside(
      join(folder, 'waits'),
      ['only\techo never'],
      ['--name', name, ...ground.arguments, '--node-selector', 'example.com/no-such=node'],
      async (_log, child) => {
        await ground.isThere(name);
        const { ended: left, stderr } = await ground.attach(folder, [name]);
        await holds('the run waits: Unschedulable: ', stderr);
        child.kill('SIGINT');
        const { code, stdout } = await left;
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
        told = stderr();
      },
    );
    expect(told).toContain('is over: its Job was deleted');
    expect(ended.code).toBe(130);
  });

  it('goes on at the byte where its connection was cut', async () => {
    const name = 'attach over a bad road';
    const road = { kind: 'exec', match: 'bin%2Fwatch', at: { bytesDown: 40_000 }, times: 2 } as const;
    const refused = { do: 'refuse', kind: 'exec', match: 'bin%2Fwatch', status: 503, times: 1 } as const;
    const rules: Rule[] = [
      ...(transport === 'api' ? [{ ...refused, retryAfter: 1 }] : []), // kubectl does not tell that it may pass
      { do: 'cut', how: 'rst', ...road },
      { do: 'cut', how: 'fin', ...road },
    ];
    await using relay = await startRelay({ kubeconfig: cluster.kubeconfig, folder, rules });
    let attached: Started | undefined;
    const ended = await runBeside(
      join(folder, 'road'),
      ['one\tseq 1 30000', 'two\tseq 1 30000; sleep 3'],
      ['--name', name, ...ground.arguments],
      async () => {
        await ground.isThere(name);
        const words = ['attach', name, '--namespace', namespace];
        attached = startInProcess(cluster, transport, folder, words, { kubeconfig: relay.kubeconfig });
        await attached.ended;
      },
    );
    expect(await attached?.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is over') });
    expect(attached?.stdout() === ended.log).toBe(true);
    expect(Object.fromEntries(relay.applied)).toMatchObject({ 'cut-rst exec': 2, 'cut-fin exec': 2 });
  });
}
