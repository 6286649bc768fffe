import { labels } from '../run-labels.ts';
import type { RunContainer, RunNetwork } from './run-objects.ts';
import { isBeingMade, type RunSummary } from './run-summary.ts';

/** Something of a run that is over. */
export interface Leftover {
  readonly kind: 'container' | 'network';
  readonly name: string;
  readonly id: string;
  /** The run's name, where it is known. */
  readonly run: string | null;
  readonly why: string;
}

export interface SeenObjects {
  /** By the engine's own clock, which dates what follows. */
  readonly now: Date;
  readonly networks: readonly RunNetwork[];
  /** Listed after the networks: a container is made in its network. */
  readonly containers: readonly RunContainer[];
  /** Of the containers. */
  readonly runs: readonly RunSummary[];
}

/** A runner makes the network and the container and starts it, all in one go. */
const makingMs = 10 * 60_000;

/**
 * What is left over: containers that have ended, those that were never started, and networks that have no other. A
 * run that goes on is never among it: its container ends by itself when no runner renews its lease. Pure.
 */
export function findLeftovers({ now, networks, containers, runs }: SeenObjects): readonly Leftover[] {
  const isOld = (madeAt: number): boolean => now.getTime() - madeAt > makingMs;
  const live = new Set<string | undefined>();
  const over = containers.flatMap((container): Leftover[] => {
    const run = runs.find(({ containerId }) => containerId === container.Id);
    const isLost = isBeingMade(container) && isOld(container.Created * 1000);
    if (!run || !(isLost || run.status === 'Failed')) {
      live.add(container.Labels[labels.id]);
      return [];
    }
    const why = isLost ? 'it was never started' : `it has ended: ${run.message ?? 'why is not known'}`;
    return [{ kind: 'container', name: run.container, id: container.Id, run: run.name, why }];
  });
  const had = new Set(containers.map(({ Labels: given }) => given[labels.id]));
  const lonely = networks
    .filter(({ Labels: given }) => !live.has(given[labels.id]))
    // its container may be on its way
    .filter(({ Labels: given, Created: created }) => had.has(given[labels.id]) || isOld(Date.parse(created)))
    .map(({ Name: name, Id: id, Labels: given }): Leftover => {
      const why = had.has(given[labels.id]) ? 'its container has ended' : 'its container is gone';
      return { kind: 'network', name, id, run: given[labels.name] ?? null, why };
    });
  return [...over, ...lonely];
}
