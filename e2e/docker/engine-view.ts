import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const answerMs = 60_000;

const containerSchema = z.object({
  Id: z.string(),
  Names: z.array(z.string()),
  State: z.string(),
  Labels: z.record(z.string(), z.string()).nullish(),
});
const networkSchema = z.object({
  Id: z.string(),
  Name: z.string(),
  Labels: z.record(z.string(), z.string()).nullish(),
});
const inspectedSchema = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  State: z.looseObject({ Status: z.string(), ExitCode: z.number(), OOMKilled: z.boolean().optional() }),
  Config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }),
  HostConfig: z.looseObject({
    Privileged: z.boolean(),
    CapAdd: z.array(z.string()).nullish(),
    SecurityOpt: z.array(z.string()).nullish(),
    PidsLimit: z.number().nullish(),
  }),
  Mounts: z.array(z.looseObject({ Source: z.string().optional(), Destination: z.string() })),
});
export type InspectedContainer = z.infer<typeof inspectedSchema>;

interface Asked {
  readonly body?: unknown;
  readonly archive?: Readable;
}

/** Looks at an engine, and meddles with it, as somebody other than the runner does. */
export class EngineView {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  async version(): Promise<string> {
    return z.object({ Version: z.string() }).parse(await this.#json('GET', '/version')).Version;
  }

  async isUp(): Promise<boolean> {
    return this.#call('GET', '/_ping').then(
      () => true,
      () => false,
    );
  }

  /** Removes all that stands in it. */
  async clear(): Promise<void> {
    for (const { Id } of await this.containers()) await this.remove(Id);
    for (const { Id, Name } of await this.networks()) {
      if (!['bridge', 'host', 'none', 'podman'].includes(Name)) await this.removeNetwork(Id);
    }
  }

  async load(file: string): Promise<void> {
    await this.#call('POST', '/images/load?quiet=1', { archive: createReadStream(file) });
  }

  async images(): Promise<readonly string[]> {
    const images = z.array(z.object({ RepoTags: z.array(z.string()).nullish() }));
    return images.parse(await this.#json('GET', '/images/json')).flatMap(({ RepoTags }) => RepoTags ?? []);
  }

  async containers(): Promise<z.infer<typeof containerSchema>[]> {
    return z.array(containerSchema).parse(await this.#json('GET', '/containers/json?all=1'));
  }

  async networks(): Promise<z.infer<typeof networkSchema>[]> {
    return z.array(networkSchema).parse(await this.#json('GET', '/networks'));
  }

  /** Null where it is not there. */
  async container(name: string): Promise<InspectedContainer | null> {
    const answer = await this.#call('GET', `/containers/${name}/json`);
    return answer === null ? null : inspectedSchema.parse(JSON.parse(answer));
  }

  /** A container of somebody else's, running. */
  async makeContainer(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const body = {
      Image: 'busybox:1.36',
      Cmd: ['sh', '-c', 'trap "exit 143" TERM; while :; do sleep 1; done'],
      HostConfig: { NetworkMode: 'none' },
      ...more,
    };
    const made = await this.#json('POST', `/containers/create?name=${name}`, { body });
    const { Id } = z.object({ Id: z.string() }).parse(made);
    await this.#call('POST', `/containers/${Id}/start`);
    return Id;
  }

  /** Runs a program in a container and waits for nothing. */
  async startExec(container: string, argv: readonly string[]): Promise<void> {
    const made = await this.#json('POST', `/containers/${container}/exec`, {
      body: { Cmd: argv, User: '0' },
    });
    const { Id } = z.object({ Id: z.string() }).parse(made);
    await this.#call('POST', `/exec/${Id}/start`, { body: { Detach: true } });
  }

  async kill(container: string): Promise<void> {
    await this.#call('POST', `/containers/${container}/kill?signal=KILL`);
  }

  /** One that is not there is no error. */
  async remove(container: string): Promise<void> {
    await this.#call('DELETE', `/containers/${container}?force=1&v=1`);
  }

  async removeNetwork(network: string): Promise<void> {
    await this.#call('DELETE', `/networks/${network}`);
  }

  async #json(method: string, path: string, asked: Asked = {}): Promise<unknown> {
    return JSON.parse((await this.#call(method, path, asked)) ?? 'null');
  }

  /** The answer; null where what was asked for is not there, or on its way out already. */
  #call(method: string, path: string, { body, archive }: Asked = {}): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const type = archive ? 'application/x-tar' : 'application/json';
      const call = request({
        socketPath: this.#socket,
        method,
        path,
        headers: { host: 'engine', 'content-type': type },
        signal: AbortSignal.timeout(answerMs),
      });
      call.on('error', reject);
      call.on('response', (answer) => {
        const status = answer.statusCode ?? 0;
        text(answer).then((told) => {
          // Podman's status is 500 where it is going just then
          const isGone = method !== 'POST' && (status === 404 || status === 409 || /no such/i.test(told));
          if (status < 400) resolve(told);
          else if (isGone) resolve(null);
          else reject(new Error(`${method} ${path}: ${status} ${told}`));
        }, reject);
      });
      if (archive) archive.once('error', reject).pipe(call);
      else call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
