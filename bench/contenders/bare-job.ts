import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BareApi } from './bare-api.ts';
import { endsOnTerm } from './ends-on-term.ts';

const eventSchema = z.object({
  type: z.string(),
  object: z.object({
    status: z
      .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
      .optional(),
  }),
});

/** A Job with a pod that does nothing, made and removed with nothing in between: what a cluster takes for any run. */
export class BareJob {
  readonly #api: BareApi;
  readonly #image: string;
  readonly #name = `bench-${randomUUID()}`;

  constructor(api: BareApi, image: string) {
    this.#api = api;
    this.#image = image;
  }

  /** Resolves when the pod is ready. The watch is open before the Job is made. */
  async create(): Promise<void> {
    const ready = this.#watch(({ object }) =>
      (object.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
    await Promise.all([ready, this.#api.call('POST', this.#jobs, this.#manifest())]);
  }

  /** Resolves when the pod is gone. */
  async remove(): Promise<void> {
    const gone = this.#watch(({ type }) => type === 'DELETED');
    await Promise.all([
      gone,
      this.#api.call('DELETE', `${this.#jobs}/${this.#name}?propagationPolicy=Background`),
    ]);
  }

  get #jobs(): string {
    return `/apis/batch/v1/namespaces/${this.#api.namespace}/jobs`;
  }

  #watch(seen: (event: z.infer<typeof eventSchema>) => boolean): Promise<void> {
    const query = new URLSearchParams({ watch: '1', labelSelector: `job-name=${this.#name}` });
    const path = `/api/v1/namespaces/${this.#api.namespace}/pods?${query}`;
    return this.#api.watch(path, (line) => seen(eventSchema.parse(JSON.parse(line))));
  }

  #manifest(): unknown {
    const container = { name: 'main', image: this.#image, command: endsOnTerm };
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: this.#name },
      spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    };
  }
}
