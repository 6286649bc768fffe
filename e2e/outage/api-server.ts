import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { eventually } from '../contract/eventually.ts';

const orderlyMs = 5_000;

/** The API server of a cluster that `e2e/cluster/up.sh` booted: to be paused, or ended and started again. */
export class ApiServer {
  readonly #folder: string;

  /** `folder` is the REALK8S_DIR of the cluster. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get kubeconfig(): string {
    return join(this.#folder, 'data/admin.kubeconfig');
  }

  /** The tokens that it knows when it starts. */
  get tokens(): string {
    return join(this.#folder, 'data/tokens.csv');
  }

  /** Ends it, with a few seconds for an end in order, which would take a minute. What this resolves to starts it again, as it was, and waits until it is ready. */
  async end(isReady: () => Promise<boolean>): Promise<() => Promise<void>> {
    const pid = await this.#pid();
    const [program = '', ...argv] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
    process.kill(pid, 'SIGTERM');
    const hasEnded = async (): Promise<true | undefined> => !existsSync(`/proc/${pid}/exe`) || undefined;
    await eventually('an end in order', hasEnded, orderlyMs).catch(() => process.kill(pid, 'SIGKILL'));
    await eventually('the API server has ended', hasEnded);
    return async () => {
      const log = openSync(join(this.#folder, 'logs/kube-apiserver.log'), 'a');
      const child = spawn(program, argv, { detached: true, stdio: ['ignore', log, log] });
      child.unref();
      await writeFile(this.#pidFile, `${child.pid}\n`); // by which down.sh finds it
      await eventually('the API server is ready', async () => (await isReady()) || undefined, 120_000);
    };
  }

  /** Stops it with all its connections open. What this resolves to lets it go on. */
  async pause(): Promise<() => Promise<void>> {
    const pid = await this.#pid();
    process.kill(pid, 'SIGSTOP');
    return async () => void process.kill(pid, 'SIGCONT');
  }

  get #pidFile(): string {
    return join(this.#folder, 'run/kube-apiserver.pid');
  }

  async #pid(): Promise<number> {
    const pid = z.coerce
      .number()
      .int()
      .positive()
      .parse((await readFile(this.#pidFile, 'utf8')).trim());
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    if (!commandLine.includes(join(this.#folder, 'data')))
      throw new Error(`process ${pid} is not this cluster's`);
    return pid;
  }
}
