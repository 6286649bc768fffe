import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1PolicyRule } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asRunnerError } from '../../src/base/errors.ts';
import { rightsOfRunner } from '../../src/executor/kubernetes/rights.ts';
import type { Right } from '../../src/kube/access-review.ts';
import type { Cluster } from './cluster.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { Transport } from './venue.ts';

/** All that a runner's own account may do, and no more. */
export const runnerRules: V1PolicyRule[] = rulesFor(rightsOfRunner.map(({ right }) => right));

/** The rules of a Role with these rights. */
export function rulesFor(rights: readonly Right[]): V1PolicyRule[] {
  return rights.map(({ group, resource, subresource, verb }) => ({
    apiGroups: [group],
    resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
    verbs: [verb],
  }));
}

/** A run with an account of few rights. */
export function rightsContract(cluster: Cluster, transport: Transport): void {
  let folder = '';
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  /** A kubeconfig of a new account in a new namespace, with these rights there. */
  async function account(rules: V1PolicyRule[]): Promise<{ kubeconfig: string; namespace: string }> {
    const namespace = await cluster.makeNamespace();
    const token = await cluster.view.makeAccount(namespace, 'runner', rules);
    const kubeconfig = join(folder, `${namespace}.kubeconfig`);
    await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, namespace), { mode: 0o600 });
    return { kubeconfig, namespace };
  }

  it('is content with the rights of a runner', async () => {
    const executor = cluster.executor({ transport, ...(await account(runnerRules)) });
    const sandbox = await executor.open(openRequest(), new Recorder(), AbortSignal.timeout(60_000));
    try {
      expect(await new Session(sandbox).output('echo passed')).toBe('passed\n');
    } finally {
      expect(await sandbox.close(AbortSignal.timeout(30_000))).toMatchObject({ deleted: true });
    }
  });

  // before 1.35 an exec by WebSocket asks for get alone
  const minor = Number(/v1\.(\d+)/.exec(cluster.name)?.[1] ?? 35);
  it.each([
    ...(minor >= 35 ? [['get', 'create'] as const] : []),
    ['create', 'get'] as const,
    ['neither', 'get'] as const,
  ])('with %s alone on pods/exec names the missing %s before anything is made', async (granted, missing) => {
    const rules = runnerRules.filter(
      ({ resources, verbs }) => !resources?.includes('pods/exec') || verbs.includes(granted),
    );
    const { kubeconfig, namespace } = await account(rules);
    const error = await cluster
      .executor({ transport, kubeconfig, namespace })
      .open(openRequest(), new Recorder(), AbortSignal.timeout(60_000))
      .catch(asRunnerError);
    expect(error).toMatchObject({ code: 'Forbidden' });
    expect(error).toHaveProperty('message', expect.stringContaining(`${missing} pods/exec`));
    expect(error).toHaveProperty('message', expect.stringContaining(namespace));
    expect((await cluster.view.batch.listNamespacedJob({ namespace })).items).toEqual([]);
  });

  it('tells of a token that the server does not know, and never the token', async () => {
    const kubeconfig = join(folder, 'unknown.kubeconfig');
    const token = 'no-such-token-4711';
    await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, cluster.namespace), { mode: 0o600 });
    const observer = new Recorder();
    const error = await cluster
      .executor({ transport, kubeconfig })
      .open(openRequest(), observer, AbortSignal.timeout(60_000))
      .catch(asRunnerError);
    expect(error).toMatchObject({ code: 'Unauthorized' });
    expect(JSON.stringify([error, String(error), observer.traces, observer.warnings])).not.toContain(token);
  });
}
