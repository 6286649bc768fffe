import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface EmbeddedProcess extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** An embedded cluster in a process of its own, so that it takes nothing of this one's time. */
export async function embeddedCluster(command: string): Promise<EmbeddedProcess> {
  const child = spawn(process.execPath, [command, 'cluster'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const [kubeconfig] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    closed.then(() => {
      throw new Error('the embedded cluster did not start');
    }),
  ]);
  return {
    kubeconfig: String(kubeconfig),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}
