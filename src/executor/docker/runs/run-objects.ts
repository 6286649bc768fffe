import { z } from 'zod';
import type { EngineApi } from '../../../engine/engine-api.ts';
import { unlessGone } from '../remove-container.ts';
import { labels, managedBy } from '../run-labels.ts';

const id = z.string().regex(/^[0-9a-f]{12,}$/);
const labelsSchema = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => given ?? {});

const containerSchema = z.object({
  Id: id,
  Names: z.array(z.string()).nullish(),
  State: z.string(),
  Labels: labelsSchema,
  /** In seconds. */
  Created: z.number(),
});
export type RunContainer = z.output<typeof containerSchema>;

const networkSchema = z.object({
  Id: id,
  Name: z.string(),
  Labels: labelsSchema,
  Created: z.string(),
});
export type RunNetwork = z.output<typeof networkSchema>;

const listOf = <T extends z.ZodType>(schema: T) =>
  z
    .array(schema)
    .nullish()
    .transform((list) => list ?? []);
const containerList = listOf(containerSchema);
const networkList = listOf(networkSchema);

/** The containers that runs made and that are there, in whatever state. */
export function listRunContainers(
  api: EngineApi,
  more: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly RunContainer[]> {
  const query = { all: 'true', ...filterOf(more) };
  const call = { method: 'GET', path: '/containers/json', query, signal } as const;
  return api.request({ ...call, action: 'list the containers of runs' }, containerList);
}

export function listRunNetworks(api: EngineApi, signal: AbortSignal): Promise<readonly RunNetwork[]> {
  const call = { method: 'GET', path: '/networks', query: filterOf({}), signal } as const;
  return api.request({ ...call, action: 'list the networks of runs' }, networkList);
}

/** Resolves also where there is none any more. */
export async function deleteNetwork(api: EngineApi, network: string, signal: AbortSignal): Promise<void> {
  const call = { method: 'DELETE', path: `/networks/${network}`, signal } as const;
  await unlessGone(() => api.request({ ...call, action: `remove the network ${network}` }, z.unknown()));
}

/** In the form of the engine's filters: all that runs made, narrowed by further labels. */
const filterOf = (more: Readonly<Record<string, string>>): { readonly filters: string } => ({
  filters: JSON.stringify({
    label: Object.entries({ [labels.managedBy]: managedBy, ...more }).map(
      ([name, value]) => `${name}=${value}`,
    ),
  }),
});
