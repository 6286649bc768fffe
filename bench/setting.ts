import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCommand } from '../scripts/bundle-command.ts';
import { systemClock } from '../src/base/clock.ts';
import { AsyncDisposables } from './async-disposables.ts';
import { type BareApi, connectBare } from './contenders/bare-api.ts';
import { ownExecutor } from './contenders/own-executor.ts';
import { embeddedCluster } from './embedded.ts';
import type { ClusterOptions } from './options.ts';
import type { Stage } from './stage.ts';

export interface Setting {
  readonly root: string;
  readonly options: ClusterOptions;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Makes all that the measures need, and takes it away again however `work` ends. */
export async function withStage<T>(setting: Setting, work: (stage: Stage) => Promise<T>): Promise<T> {
  const { root, options, signal, progress } = setting;
  const clock = systemClock();
  await using toEnd = new AsyncDisposables();
  const scratch = toEnd.adopt(await mkdtemp(join(tmpdir(), 'knotless-bench-')), removeFolder);
  // Inside node_modules, so that the command finds its packages from there.
  const bundle = toEnd.adopt(await mkdtemp(join(root, 'node_modules', '.bench-')), removeFolder);
  await bundleCommand(root, bundle);
  const command = join(bundle, 'main.js');
  const embedded = options.kubeconfig === undefined ? await embeddedCluster(command) : undefined;
  if (embedded) toEnd.adopt(embedded, (cluster) => cluster[Symbol.asyncDispose]());
  const kubeconfig = options.kubeconfig ?? embedded?.kubeconfig ?? '';
  const namespace = `knotless-bench-${randomUUID().slice(0, 8)}`;
  const bare = toEnd.adopt(await connectBare(kubeconfig, namespace), ({ agent }) => agent.destroy());
  await bare.call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  toEnd.adopt(namespace, () => removeNamespace(bare, namespace));
  const own = toEnd.adopt(await ownExecutor(kubeconfig, namespace, clock), (executor) =>
    executor[Symbol.asyncDispose](),
  );
  return await work({
    kubeconfig,
    namespace,
    image: options.image,
    kubectl: options.kubectl,
    command,
    folder: async (name) => {
      const folder = join(scratch, name);
      await mkdir(folder);
      return folder;
    },
    executor: own.executor,
    bare,
    clock,
    signal,
    rounds: (usual) => options.runs ?? usual,
    progress,
  });
}

const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** With all that is in it; the cluster goes on with that by itself. */
async function removeNamespace(bare: BareApi, namespace: string): Promise<void> {
  await bare.call('DELETE', `/api/v1/namespaces/${namespace}`);
}
