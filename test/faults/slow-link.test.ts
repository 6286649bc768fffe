import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const megabytes = 64;
const slow = { do: 'throttle', kind: 'exec', bytesPerSecond: 5_000_000 } as const;

const checkout = (folder: string) => ({
  checkout: { folder: join(folder, 'checkout'), files: 'all' as const, exclude: [] },
});
async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, 'checkout'));
  await writeFile(
    join(folder, 'checkout/text'),
    'a line that is like the others\n'.repeat(megabytes * 33_826),
  );
}

describe('a checkout on a link of 5 MB/s', () => {
  it('is compressed once the link has shown how slow it is, and the outputs too', async () => {
    const { result, traces } = await stage.run(['ls /work; cp text "$KNOTLESS_OUTPUTS"'], {
      rules: [slow],
      compress: 'auto',
      before: fill,
      request: (folder) => ({
        ...checkout(folder),
        outputs: { folder: join(folder, 'out'), collect: [], maxBytes: 1e9, maxFiles: 10 },
      }),
    });
    expect(result).toMatchObject({ status: 'success', outputs: { files: 1, complete: true } });
    expect(traces.filter((line) => line.includes('the link is slow'))).toHaveLength(1);
    const atRate = (megabytes * 1_048_576 * 1000) / slow.bytesPerSecond;
    expect(result.timings.uploadMs).toBeLessThan(atRate * 0.75);
    expect(result.timings.downloadMs).toBeLessThan(atRate * 0.75);
  }, 60_000);
});

it('a quick link takes it as it is', async () => {
  const { result, traces } = await stage.run(['true'], { compress: 'auto', before: fill, request: checkout });
  expect(result.status).toBe('success');
  expect(traces.filter((line) => line.includes('the link is slow'))).toEqual([]);
});
