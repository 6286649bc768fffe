import { cancellerIn, plainName } from '../cancel-note.ts';
import { diagnoseEnd } from '../container-end.ts';
import type { ContainerState } from '../engine-objects.ts';
import { labels } from '../run-labels.ts';
import type { RunContainer } from './run-objects.ts';

/** One run as the engine shows it. */
export interface RunSummary {
  /** As `--name` gave it; null where the container's label is missing. */
  readonly name: string | null;
  readonly runner: string | null;
  readonly id: string | null;
  readonly container: string;
  readonly containerId: string;
  readonly status: 'Waiting' | 'Running' | 'Ending' | 'Failed';
  /** Why it ended. */
  readonly reason: string | null;
  readonly message: string | null;
  /** Whether it was started with `--keep`. */
  readonly kept: boolean;
  readonly createdAt: string;
}

/** `state` is undefined where the container did not have to be looked at, or is gone meanwhile. Pure. */
export function summarize(container: RunContainer, state: ContainerState | undefined): RunSummary {
  const { Labels: given, Created: created } = container;
  return {
    name: given[labels.name] ?? null,
    runner: given[labels.runner] ?? null,
    id: given[labels.id] ?? null,
    container: nameOf(container),
    containerId: container.Id,
    ...statusOf(container, state),
    kept: given[labels.kept] !== undefined,
    createdAt: new Date(created * 1000).toISOString(),
  };
}

export const nameOf = ({ Names: names }: RunContainer): string => plainName(names?.[0] ?? '');

/** A container that has ended by itself, or was made to; one that is being removed is not. */
export const hasEnded = ({ State: state }: RunContainer): boolean =>
  state === 'exited' || state === 'dead' || state === 'stopped';

/** It is there and was not started yet, in Docker's words and in Podman's. */
export const isBeingMade = ({ State: state }: Pick<RunContainer, 'State'>): boolean =>
  state === 'created' || state === 'configured';

function statusOf(
  container: RunContainer,
  state: ContainerState | undefined,
): Pick<RunSummary, 'status' | 'reason' | 'message'> {
  const by = cancellerIn(container.Names?.[0] ?? '');
  if (hasEnded(container)) {
    const end = state && diagnoseEnd(nameOf(container), state, { signal: undefined, engineWasAway: false });
    return { status: 'Failed', reason: end?.code ?? null, message: end?.message ?? null };
  }
  if (by !== undefined) return { status: 'Ending', reason: 'Cancelled', message: by };
  if (isBeingMade(container)) return { status: 'Waiting', reason: null, message: null };
  if (/^(removing|stopping)$/.test(container.State)) return { status: 'Ending', reason: null, message: null };
  return { status: 'Running', reason: container.State === 'paused' ? 'Paused' : null, message: null };
}
