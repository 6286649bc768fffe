import { z } from 'zod';
import { hasCondition, jobOf } from '../store/job.ts';
import type { KubeObject } from '../store/object.ts';
import { podOf } from '../store/pod.ts';
import type { Resource } from './resources.ts';
import { resources } from './resources.ts';

type Cell = string | number;
type Column = readonly [name: string, wide?: boolean];
interface Layout {
  readonly columns: readonly Column[];
  cells(object: KubeObject, now: Date): readonly Cell[];
}

/** How long ago, as kubectl writes it: `12s`, `5m3s`, `3h`, `2d`. */
export function age(since: string | undefined, now: Date): string {
  if (since === undefined) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

function podCells(object: KubeObject, now: Date): Cell[] {
  const pod = podOf(object);
  const statuses = pod.status.containerStatuses ?? [];
  let text: string = pod.status.reason ?? pod.status.phase;
  for (const { state } of statuses) {
    if (state.waiting?.reason) text = state.waiting.reason;
    else if (state.terminated)
      text =
        state.terminated.reason ??
        (state.terminated.signal
          ? `Signal:${state.terminated.signal}`
          : `ExitCode:${state.terminated.exitCode}`);
  }
  const running = statuses.some(({ ready, state }) => ready && state.running);
  if (text === 'Completed' && running) text = pod.status.phase === 'Running' ? 'Running' : 'NotReady';
  if (pod.metadata.deletionTimestamp !== undefined) text = 'Terminating';
  return [
    pod.metadata.name,
    `${statuses.filter(({ ready }) => ready).length}/${pod.spec.containers.length}`,
    text,
    statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    age(pod.metadata.creationTimestamp, now),
    pod.status.podIP ?? '<none>',
    pod.spec.nodeName ?? '<none>',
    '<none>',
    '<none>',
  ];
}

function jobCells(object: KubeObject, now: Date): Cell[] {
  const { metadata, spec, status } = jobOf(object);
  const text = hasCondition(status, 'Complete')
    ? 'Complete'
    : hasCondition(status, 'Failed')
      ? 'Failed'
      : metadata.deletionTimestamp !== undefined
        ? 'Terminating'
        : hasCondition(status, 'Suspended')
          ? 'Suspended'
          : 'Running';
  const end = status.completionTime === undefined ? now : new Date(status.completionTime);
  return [
    metadata.name,
    text,
    `${status.succeeded ?? 0}/${spec.completions ?? 1}`,
    status.startTime === undefined ? '' : age(status.startTime, end),
    age(metadata.creationTimestamp, now),
    spec.template.spec.containers.map(({ name }) => name).join(','),
    spec.template.spec.containers.map(({ image }) => image).join(','),
    `batch.kubernetes.io/controller-uid=${metadata.uid}`,
  ];
}

const eventSchema = z.looseObject({
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  involvedObject: z.looseObject({ kind: z.string(), name: z.string() }),
});

function eventCells(object: KubeObject, now: Date): Cell[] {
  const event = eventSchema.parse(object);
  return [
    age(event.lastTimestamp ?? event.eventTime ?? undefined, now),
    event.type,
    event.reason,
    `${event.involvedObject.kind.toLowerCase()}/${event.involvedObject.name}`,
    event.message,
  ];
}

const nodeSchema = z.looseObject({
  status: z.looseObject({
    conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]),
    nodeInfo: z.looseObject({ kubeletVersion: z.string() }).optional(),
  }),
});

function nodeCells(object: KubeObject, now: Date): Cell[] {
  const { status } = nodeSchema.parse(object);
  const ready = status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return [
    object.metadata.name,
    ready ? 'Ready' : 'NotReady',
    '<none>',
    age(object.metadata.creationTimestamp, now),
    status.nodeInfo?.kubeletVersion ?? '',
  ];
}

const phaseSchema = z.looseObject({ status: z.looseObject({ phase: z.string() }) });

const layouts = new Map<Resource, Layout>([
  [
    resources.pods,
    {
      columns: [
        ['Name'],
        ['Ready'],
        ['Status'],
        ['Restarts'],
        ['Age'],
        ['IP', true],
        ['Node', true],
        ['Nominated Node', true],
        ['Readiness Gates', true],
      ],
      cells: podCells,
    },
  ],
  [
    resources.jobs,
    {
      columns: [
        ['Name'],
        ['Status'],
        ['Completions'],
        ['Duration'],
        ['Age'],
        ['Containers', true],
        ['Images', true],
        ['Selector', true],
      ],
      cells: jobCells,
    },
  ],
  [
    resources.events,
    { columns: [['Last Seen'], ['Type'], ['Reason'], ['Object'], ['Message']], cells: eventCells },
  ],
  [resources.nodes, { columns: [['Name'], ['Status'], ['Roles'], ['Age'], ['Version']], cells: nodeCells }],
  [
    resources.namespaces,
    {
      columns: [['Name'], ['Status'], ['Age']],
      cells: (object, now) => [
        object.metadata.name,
        phaseSchema.parse(object).status.phase,
        age(object.metadata.creationTimestamp, now),
      ],
    },
  ],
]);

const plain: Layout = {
  columns: [['Name'], ['Age']],
  cells: (object, now) => [object.metadata.name, age(object.metadata.creationTimestamp, now)],
};

/** Objects as the table that `kubectl get` prints. */
export function tableOf(
  resource: Resource,
  objects: readonly KubeObject[],
  version: string,
  include: string | null,
  now: Date,
): object {
  const layout = layouts.get(resource) ?? plain;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: version },
    columnDefinitions: layout.columns.map(([name, wide]) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: layout.cells(object, now),
      ...(include !== 'None' && {
        object:
          include === 'Object'
            ? object
            : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
      }),
    })),
  };
}

/** Whether the client would rather have tables. */
export const wantsTable = (accept: string | undefined): boolean =>
  /;as=Table;v=v1;g=meta\.k8s\.io/.test(accept?.split(',')[0] ?? '');
