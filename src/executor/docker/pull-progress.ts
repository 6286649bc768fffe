import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { shown } from '../../engine/engine-error.ts';
import type { Observer } from '../executor.ts';
import type { WordWatch } from '../word-watch.ts';
import type { RunTarget } from './run-target.ts';

export const pullLineSchema = z.object({
  status: z.string().optional(),
  id: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).nullish(),
  error: z.string().optional(),
});
export type PullLine = z.output<typeof pullLineSchema>;

const tellEveryMs = 1_000;

/** Adds up what the engine tells of an image's layers, and tells it on, now and then. */
export class PullProgress {
  readonly #image: string;
  readonly #clock: Clock;
  readonly #observer: Observer;
  readonly #words: WordWatch;
  readonly #layers = new Map<string, { current: number; total: number; isDone: boolean }>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(image: string, { clock, observer, words }: RunTarget) {
    this.#image = image;
    this.#clock = clock;
    this.#observer = observer;
    this.#words = words;
    this.#tell();
  }

  hear({ status = '', id, progressDetail }: PullLine): void {
    const isLayer = id !== undefined && /^[0-9a-f]{12,}$/.test(id);
    if (isLayer) this.#count(id, status, progressDetail ?? {});
    else if (status !== '') this.#observer.trace(`pull: ${shown(status)}`);
    if (this.#clock.now() - this.#toldAt >= tellEveryMs) this.#tell();
  }

  #count(
    id: string,
    status: string,
    { current = 0, total = 0 }: NonNullable<PullLine['progressDetail']>,
  ): void {
    const layer = this.#layers.get(id) ?? { current: 0, total: 0, isDone: false };
    this.#layers.set(id, layer);
    if (status === 'Downloading') {
      layer.current = current;
      layer.total = Math.max(total, layer.total);
    } else if (/^(Download|Pull) complete|^Already exists/.test(status)) {
      layer.current = layer.total;
      layer.isDone = status !== 'Download complete';
    }
  }

  #tell(): void {
    const layers = [...this.#layers.values()];
    const sum = (of: 'current' | 'total'): number => layers.reduce((bytes, layer) => bytes + layer[of], 0);
    const done = layers.filter(({ isDone }) => isDone).length;
    const bytes = sum('total') === 0 ? '' : `, ${megabytes(sum('current'))} of ${megabytes(sum('total'))}`;
    const message =
      layers.length === 0
        ? `pulling the image ${this.#image}`
        : `pulling the image ${this.#image}: ${done} of ${layers.length} layers${bytes}`;
    this.#toldAt = this.#clock.now();
    this.#words.see({ reason: 'Pulling', message });
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
