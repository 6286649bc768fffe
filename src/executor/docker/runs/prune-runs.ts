import { z } from 'zod';
import { messageOf } from '../../../base/errors.ts';
import type { EngineApi } from '../../../engine/engine-api.ts';
import { removeContainer } from '../remove-container.ts';
import { findLeftovers, type Leftover } from './leftovers.ts';
import { summarizeAll } from './list-runs.ts';
import { deleteNetwork, listRunContainers, listRunNetworks } from './run-objects.ts';

const infoSchema = z.object({ SystemTime: z.string() });

/** What runs left over on the engine, containers before their networks. Changes nothing. */
export async function listLeftovers(api: EngineApi, signal: AbortSignal): Promise<readonly Leftover[]> {
  const info = { method: 'GET', path: '/info', action: 'tell its time', signal } as const;
  const { SystemTime: time } = await api.request(info, infoSchema);
  const networks = await listRunNetworks(api, signal);
  const containers = await listRunContainers(api, {}, signal);
  const runs = await summarizeAll(api, containers, signal);
  return findLeftovers({ now: new Date(time), networks, containers, runs });
}

/** Removes just this. Resolves to why that did not work, or to null. */
export async function removeLeftover(
  api: EngineApi,
  { kind, id }: Leftover,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    await (kind === 'container' ? removeContainer : deleteNetwork)(api, id, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
