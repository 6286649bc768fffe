import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { withDeadline } from '../../src/base/deadline.ts';
import type { EmbeddedCluster, EmbeddedClusterOptions } from '../../src/embedded/cluster.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';

export interface TestCluster extends AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly folder: string;
  readonly kubectl: (args: readonly string[], stdin?: string) => Promise<Output>;
  readonly call: (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;
}

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: unknown;
}

const kubeconfigSchema = z.object({
  clusters: z
    .array(z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.string() }) }))
    .length(1),
  users: z.array(z.object({ user: z.object({ token: z.string() }) })).length(1),
});

export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

export async function readAccess(path: string): Promise<Access> {
  const { clusters, users } = kubeconfigSchema.parse(parse(await readFile(path, 'utf8')));
  const [one] = clusters;
  const [user] = users;
  if (!one || !user) throw new Error('the kubeconfig is empty');
  return {
    server: one.cluster.server,
    ca: Buffer.from(one.cluster['certificate-authority-data'], 'base64').toString(),
    token: user.user.token,
  };
}

/** A cluster of its own in a folder of its own. */
export async function testCluster(options: Partial<EmbeddedClusterOptions> = {}): Promise<TestCluster> {
  const parent = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  const folder = join(parent, 'cluster');
  const cluster = await startEmbeddedCluster({ folder, clock: systemClock(), ...options });
  return {
    ...(await clientsOf(cluster, folder)),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await rm(parent, { recursive: true, force: true });
    },
  };
}

export async function clientsOf(
  cluster: EmbeddedCluster,
  folder: string,
): Promise<Omit<TestCluster, typeof Symbol.asyncDispose>> {
  const access = await readAccess(cluster.kubeconfigPath);
  return {
    cluster,
    folder,
    kubectl: (args, stdin) =>
      run('kubectl', args, { KUBECONFIG: cluster.kubeconfigPath, HOME: dirname(folder) }, stdin),
    call: (method, path, body, token = access.token) => call(access, method, path, body, token),
  };
}

/** Runs a program that nobody here wrote. Its being away is a failure with that message. */
function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdin?: string,
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      { env: { PATH: process.env.PATH ?? '', ...environment }, maxBuffer: 64 * 1024 * 1024, timeout: 25_000 },
      (error, stdout, stderr) => {
        if (error && 'code' in error && error.code === 'ENOENT')
          reject(
            new Error(`${program} is not on PATH: these tests hold the embedded cluster to the real one`),
          );
        else resolve({ code: error ? (child.exitCode ?? 1) : 0, stdout, stderr });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin ?? '');
  });
}

function call(
  { server, ca }: Access,
  method: string,
  path: string,
  body: unknown,
  token: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      }),
    };
    const sent = request(`${server}${path}`, { method, ca, headers, agent: false }, async (response) => {
      let text = '';
      for await (const part of response) text += String(part);
      const whole = response.headers['content-length'] !== undefined; // a watch is no one document
      const json: unknown =
        whole && /json/.test(String(response.headers['content-type'])) ? JSON.parse(text) : undefined;
      resolve({ code: response.statusCode ?? 0, headers: response.headers, text, json });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Waits until `look` finds what it looks for; a short nap between two looks. */
export function until<T>(name: string, look: () => Promise<T | undefined>, ms = 15_000): Promise<T> {
  const clock = systemClock();
  return withDeadline(clock, { name, ms }, undefined, async (signal) => {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await clock.sleep(25, signal);
    }
  });
}

export const keepAlive = "trap 'exit 143' TERM; echo started; while :; do sleep 0.05; done";

export interface JobParts {
  readonly command?: readonly string[];
  readonly job?: object;
  readonly pod?: object;
  readonly container?: object;
}

export const jobManifest = (name: string, parts: JobParts = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    backoffLimit: 0,
    podReplacementPolicy: 'Failed',
    ...parts.job,
    template: {
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 5,
        ...parts.pod,
        containers: [
          {
            name: 'run',
            image: 'busybox:1.36',
            command: parts.command ?? ['sh', '-c', keepAlive],
            ...parts.container,
          },
        ],
      },
    },
  },
});

const podSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
  status: z.looseObject({
    phase: z.string(),
    reason: z.string().optional(),
    message: z.string().optional(),
    conditions: z
      .array(
        z.looseObject({
          type: z.string(),
          status: z.string(),
          reason: z.string().optional(),
          message: z.string().optional(),
        }),
      )
      .default([]),
    containerStatuses: z
      .array(
        z.looseObject({
          state: z.looseObject({
            waiting: z.looseObject({ reason: z.string(), message: z.string().optional() }).optional(),
            terminated: z
              .looseObject({ exitCode: z.number(), reason: z.string(), message: z.string().optional() })
              .optional(),
          }),
        }),
      )
      .default([]),
  }),
});

const podListSchema = z.looseObject({ items: z.array(podSchema) });

export type SeenPod = z.infer<typeof podSchema>;

export const pods = '/api/v1/namespaces/default/pods';
export const jobs = '/apis/batch/v1/namespaces/default/jobs';
const events = '/api/v1/namespaces/default/events';

/** The pod of a Job, once `test` likes it. */
export function podOfJob(
  { call }: Pick<TestCluster, 'call'>,
  job: string,
  test: (pod: SeenPod) => boolean = (pod) =>
    pod.status.conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
): Promise<SeenPod> {
  return until(`the pod of ${job}`, async () => {
    const { json } = await call('GET', `${pods}?labelSelector=job-name%3D${job}`);
    return podListSchema.parse(json).items.find(test);
  });
}

const eventListSchema = z.looseObject({
  items: z.array(z.looseObject({ reason: z.string(), message: z.string(), type: z.string() })),
});

/** All events about an object, as `Reason: message`. */
export async function eventsOf({ call }: Pick<TestCluster, 'call'>, name: string): Promise<string[]> {
  const { json } = await call('GET', `${events}?fieldSelector=involvedObject.name%3D${name}`);
  return eventListSchema.parse(json).items.map(({ reason, message }) => `${reason}: ${message}`);
}

const jobSchema = z.looseObject({
  metadata: z.looseObject({ uid: z.string() }),
  status: z.looseObject({
    active: z.number().optional(),
    failed: z.number().optional(),
    succeeded: z.number().optional(),
    conditions: z
      .array(z.looseObject({ type: z.string(), reason: z.string(), message: z.string() }))
      .default([]),
  }),
});

export type SeenJob = z.infer<typeof jobSchema>;

export const jobNamed = async ({ call }: Pick<TestCluster, 'call'>, name: string): Promise<SeenJob> =>
  jobSchema.parse((await call('GET', `${jobs}/${name}`)).json);

export const conditionsOf = (job: SeenJob): string[] =>
  job.status.conditions.map(({ type, reason }) => `${type}/${reason}`);
