import type { ZodType } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import { listOf } from './objects.ts';

interface Identified {
  readonly metadata: { readonly uid: string };
}

export interface FollowOptions<T> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly schema: ZodType<T>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly trace: (message: string) => void;
  /** All objects as they are now, whenever one has changed. */
  readonly changed: (objects: readonly T[]) => void;
}

/** Watches are known to fall silent without an end; so a read every so often stands behind each. */
const readEveryMs = 5_000;
const pauseMs = 1_000;

/** Keeps up with a handful of objects until the signal is aborted. Never rejects. */
export async function followObjects<T extends Identified>(
  api: KubeApi,
  options: FollowOptions<T>,
): Promise<void> {
  const known = new Map<string, T>();
  const turn = { count: 0 };
  const tell = (): void => {
    turn.count++;
    options.changed([...known.values()]);
  };
  await Promise.all([
    watchAgainAndAgain(api, options, known, tell),
    readNowAndThen(api, options, known, turn, tell),
  ]);
}

async function watchAgainAndAgain<T extends Identified>(
  api: KubeApi,
  { path, query, schema, clock, signal, trace }: FollowOptions<T>,
  known: Map<string, T>,
  tell: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { type, object } of api.watch({ path, query, signal })) {
        if (type === 'BOOKMARK') continue;
        if (type === 'ERROR') break; // 410 Gone among others: begin anew
        const parsed = schema.parse(object);
        if (type === 'DELETED') known.delete(parsed.metadata.uid);
        else known.set(parsed.metadata.uid, parsed);
        tell();
      }
    } catch (error) {
      if (!signal.aborted) trace(`watch of ${path} broke: ${messageOf(error)}`);
    }
    await clock.sleep(pauseMs, signal).catch(() => {});
  }
}

async function readNowAndThen<T extends Identified>(
  api: KubeApi,
  { path, query, schema, clock, signal, trace }: FollowOptions<T>,
  known: Map<string, T>,
  turn: { readonly count: number },
  tell: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(readEveryMs, signal).catch(() => {});
    if (signal.aborted) return;
    const before = turn.count;
    try {
      const { items } = await api.request({ method: 'GET', path, query, signal }, listOf(schema));
      if (turn.count !== before) continue; // the watch has told something newer meanwhile
      known.clear();
      for (const item of items ?? []) known.set(item.metadata.uid, item);
      tell();
    } catch (error) {
      if (!signal.aborted) trace(`reading ${path} failed: ${messageOf(error)}`);
    }
  }
}
