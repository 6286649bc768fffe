import type { Unpacked, UnpackOptions } from '../../../src/archive/unpack-outputs.ts';
import { unpackOutputs } from '../../../src/archive/unpack-outputs.ts';
import { lastEntry } from './hand-made-tar.ts';
import { chunksOf, Warnings } from './streams.ts';

/** As a run places them: `outputs/x` at `x`, whatever else was collected under its own path. */
const placeOutputs = (name: string): string | null => {
  if (name === 'outputs' || name.startsWith('outputs/')) return name.slice('outputs/'.length);
  return name.startsWith('work/') ? name : null;
};

/** Unpacks an archive and tells what came of it. */
export async function unpack(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  destination: string,
  more: Partial<UnpackOptions> = {},
): Promise<Unpacked & { warnings: readonly string[] }> {
  const warnings = new Warnings();
  const landed = await unpackOutputs(bytes instanceof Uint8Array ? chunksOf(bytes) : bytes, {
    destination,
    lastEntry: String(lastEntry.name),
    place: placeOutputs,
    limits: { maxBytes: 1e12, maxFiles: 1e6 },
    warn: warnings.warn,
    ...more,
  });
  return { ...landed, warnings: warnings.all };
}
