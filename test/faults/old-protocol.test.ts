import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Stage } from './stage.ts';

it('B1: sends a checkout whole to an API that knows sub-protocol v4 only, also over roads that break', async () => {
  await using stage = await Stage.open({ execProtocols: ['v4.channel.k8s.io'] });
  const { result, logOf, relay } = await stage.run(['wc -c </work/big'], {
    request: (folder) => ({ checkout: { folder: join(folder, 'checkout'), files: 'all', exclude: [] } }),
    before: async (folder) => {
      await mkdir(join(folder, 'checkout'));
      await writeFile(join(folder, 'checkout', 'big'), Buffer.alloc(5_000_000, 7));
    },
    rules: [{ do: 'cut', how: 'rst', kind: 'exec', match: 'receive', times: 2, at: { bytesUp: 3_000_000 } }],
  });
  expect(relay.applied.get('cut-rst exec')).toBeGreaterThan(0);
  expect(result.status).toBe('success');
  expect(logOf(0).trim()).toBe('5000000');
});
