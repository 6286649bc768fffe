import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectName } from '../../src/executor/object-name.ts';
import { startRelay } from '../relay/relay.ts';
import type { Rule } from '../relay/rules.ts';
import type { Cluster } from './cluster.ts';
import { type Ended as EndedRun, runCommand } from './command-run.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { type Started, startInProcess } from './in-process.ts';
import { runnerRules } from './rights.ts';
import type { Transport } from './venue.ts';

const secret = 'tok-5f0e9a7c31 with a space';

/** `attach` from elsewhere than the runner's machine. */
export function attachingContract(cluster: Cluster, transport: Transport): void {
  let folder = '';
  let runs = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  /** A run of these steps in a process of its own; `meanwhile` is done beside it. */
  async function withRun(
    name: string,
    steps: readonly string[],
    meanwhile: (log: string, child: ChildProcess) => Promise<void>,
    args: readonly string[] = [],
  ): Promise<EndedRun> {
    const here = join(folder, `run-${runs++}`);
    const file = join(folder, `steps-${runs}.tsv`);
    await writeFile(file, `${steps.join('\n')}\n`);
    return runCommand(here, {
      outputs: false,
      environment: { TOKEN: secret },
      args: [
        ...['--name', name, '--steps-file', file, '--kubeconfig', cluster.kubeconfig],
        ...['--namespace', cluster.namespace, '--transport', transport, ...args],
      ],
      meanwhile: async (child, log) => {
        try {
          await meanwhile(log, child);
        } catch (error) {
          child.kill('SIGTERM');
          throw error;
        }
      },
    });
  }

  /** By an account that has a runner's rights and no more. */
  let account: Promise<string> | undefined;
  async function attach(name: string, words: readonly string[] = []): Promise<Started> {
    account ??= (async () => {
      const token = await cluster.view.makeAccount(cluster.namespace, 'onlooker', runnerRules);
      const kubeconfig = join(folder, 'onlooker.kubeconfig');
      await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, cluster.namespace), { mode: 0o600 });
      return kubeconfig;
    })();
    return startInProcess(
      cluster,
      transport,
      folder,
      ['attach', name, '--namespace', cluster.namespace, ...words],
      { kubeconfig: await account, env: { TOKEN: secret } },
    );
  }

  const holds = (what: string, text: () => string | Promise<string>): Promise<true> =>
    eventually(what, async () => ((await text()).includes(what) ? true : undefined));
  const logOf = (file: string) => (): Promise<string> => readFile(file, 'utf8').catch(() => '');
  const jobIsThere = (name: string): Promise<true> =>
    eventually(`the Job of ${name}`, async () =>
      (await cluster.view.job(cluster.namespace, objectName(name))) ? true : undefined,
    );

  it('shows the whole masked log, from before the first step to the end, to two at once', async () => {
    const name = 'attach whole';
    const steps = [
      // the secret comes in pieces, so that it lies across the borders of what is read
      `one\tprintf 'a tok-5f0'; sleep 1; printf 'e9a7c31 with'; sleep 1; echo ' a space'; seq 1 2000; printf no-newline`,
      `two\techo "with $TOKEN"; printf '%s' "$TOKEN" | base64; exit 3`,
      'never\techo not run',
    ];
    const attached: Started[] = [];
    const ended = await withRun(
      name,
      steps,
      async (log) => {
        await jobIsThere(name);
        attached.push(await attach(name, ['--secret', 'TOKEN']));
        await holds('a ', logOf(log));
        attached.push(await attach(name, ['--secret', 'TOKEN']));
      },
      ['--secret', 'TOKEN'],
    );
    expect(ended.code).toBe(1);
    expect(attached).toHaveLength(2);
    for (const { ended: left } of attached) {
      const { code, stdout, stderr } = await left;
      expect(stderr).toContain(`the run "${name}" is over: its Job was deleted`);
      expect(code).toBe(0);
      expect(stdout).toBe(ended.log);
      expect(stdout).toContain('a ***\n1\n');
      expect(stdout + stderr).not.toContain('5f0e9a7c31');
    }
  });

  it('refuses without a secret of the run, naming it, and shows nothing', async () => {
    const name = 'attach without';
    const ended = await withRun(
      name,
      ['only\techo "with $TOKEN"; while [ ! -e go ]; do sleep 0.2; done'],
      async (log, child) => {
        await holds('with ***', logOf(log));
        const { code, stdout, stderr } = await (await attach(name)).ended;
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toContain('missing: TOKEN; give each as --secret NAME');
        child.kill('SIGTERM');
      },
      ['--secret', 'TOKEN'],
    );
    expect(ended.code).toBe(143);
  });

  it('tells why a run waits, and ends with it', async () => {
    const name = 'attach waiting';
    let told = '';
    const ended = await withRun(
      name,
      ['only\techo never'],
      async (_log, child) => {
        await jobIsThere(name);
        const { ended: left, stderr } = await attach(name);
        await holds('the run waits: Unschedulable: ', stderr);
        child.kill('SIGINT');
        const { code, stdout } = await left;
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
        told = stderr();
      },
      ['--node-selector', 'example.com/no-such=node'],
    );
    expect(told).toContain('is over: its Job was deleted');
    expect(ended.code).toBe(130);
  });

  it('leaves the run alone when it is ended, and nothing of itself in the pod', async () => {
    const name = 'attach and leave';
    const looks = 'ls /.knotless/w.* >/dev/null 2>&1';
    const ended = await withRun(
      name,
      [
        `only\techo begun; until ${looks}; do sleep 0.2; done; echo seen; while ${looks}; do sleep 0.2; done; echo left`,
      ],
      async () => {
        await jobIsThere(name);
        const { ended: left, stdout, send } = await attach(name);
        await holds('seen\n', stdout);
        send('SIGINT');
        expect((await left).code).toBe(130);
      },
    );
    expect(ended.code).toBe(0);
    expect(ended.log).toBe('=== step only\nbegun\nseen\nleft\n');
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
    const ended = await withRun(name, ['one\tseq 1 30000', 'two\tseq 1 30000; sleep 3'], async () => {
      await jobIsThere(name);
      const words = ['attach', name, '--namespace', cluster.namespace];
      attached = startInProcess(cluster, transport, folder, words, { kubeconfig: relay.kubeconfig });
      await attached.ended;
    });
    expect(await attached?.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is over') });
    expect(attached?.stdout() === ended.log).toBe(true);
    expect(Object.fromEntries(relay.applied)).toMatchObject({ 'cut-rst exec': 2, 'cut-fin exec': 2 });
  });

  it('names a run that is not there', async () => {
    const { code, stdout, stderr } = await (await attach('nobody')).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`no run "nobody" in the namespace ${cluster.namespace}`);
  });
}
