import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HastyClock } from './hasty-clock.ts';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.concurrent('an API that breaks', () => {
  it('may be away for seconds in mid-step', async () => {
    const { result, logOf } = await stage.run(['for n in 1 2 3 4 5 6; do echo $n; sleep 0.5; done'], {
      onEvent: (event, relay) => {
        if (event.type !== 'step-started') return;
        relay.down();
        setTimeout(() => relay.up(), 5_000);
      },
    });
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe('1\n2\n3\n4\n5\n6\n');
  });

  it('may lose its answers to the create and the delete of the Job', async () => {
    const { result, relay, leftovers } = await stage.run(['true'], {
      rules: [
        { do: 'lose', kind: ['create-job', 'delete-job', 'create-networkpolicy'], times: 3 },
        { do: 'refuse', kind: 'create-job', status: 503, retryAfter: 1, times: 1 },
      ],
    });
    expect(result.status).toBe('success');
    expect(result.job?.deleted).toBe(true);
    expect(relay.asked.filter(({ kind }) => kind === 'create-job').length).toBeLessThan(4);
    expect(leftovers).toEqual([]);
  });

  it('may reset the very first connections', async () => {
    const { result, relay } = await stage.run(['true'], { rules: [{ do: 'reset', times: 3 }] });
    expect([...relay.applied.values()].reduce((sum, times) => sum + times, 0)).toBe(3);
    expect(result.status).toBe('success');
  });

  it('waits as long as Retry-After says', async () => {
    const began = performance.now();
    const { result } = await stage.run(['true'], {
      rules: [{ do: 'refuse', kind: 'create-job', status: 429, retryAfter: 3, times: 1 }],
    });
    expect(result.status).toBe('success');
    expect(performance.now() - began).toBeGreaterThan(3_000);
  });

  it('I2: shows the pod in time though its watches are swallowed', async () => {
    const { result } = await stage.run(['true'], {
      rules: [{ do: 'stall', kind: ['watch-pods', 'watch-events'], at: { after: 0 } }],
    });
    expect(result.status).toBe('success');
    expect(result.timings.waitMs).toBeLessThan(12_000);
  });

  it('I2: is not flooded where each watch is closed at once', async () => {
    const { result, relay } = await stage.run(['sleep 5'], {
      rules: [{ do: 'cut', how: 'fin', kind: ['watch-pods', 'watch-events'], at: { after: 50 } }],
    });
    expect(result.status).toBe('success');
    const watches = relay.asked.filter(({ kind }) => kind === 'watch-pods').length;
    expect(watches).toBeLessThanOrEqual(Math.ceil(result.durationMs / 1_000) + 2);
  });

  it('I3: names the Job that it leaves where the token ends before the cleanup', async () => {
    const clock = new HastyClock();
    const { result } = await stage.run(['echo done'], {
      clock,
      onEvent: (event, relay) => {
        if (event.type !== 'step-finished') return;
        relay.add({ do: 'refuse', status: 401 });
        clock.hurry(20); // two minutes of trying
      },
    });
    expect(result.status).toBe('error');
    expect(result.reason?.code).toBe('CleanupFailed');
    expect(result.reason?.message).toContain(`kubectl delete job ${result.job?.name}`);
  });

  it('fetches the outputs again when they break on the way', async () => {
    let outputs = '';
    const { result, relay } = await stage.run(['seq 1 300000 >/outputs/numbers'], {
      request: (folder) => {
        outputs = join(folder, 'outputs');
        return { outputs: { folder: outputs, collect: [], maxBytes: 1e9, maxFiles: 100 } };
      },
      onEvent: (event, { add }) => {
        if (event.type !== 'step-finished') return;
        add({ do: 'cut', how: 'rst', kind: 'exec', times: 2, at: { bytesDown: 500_000 } });
      },
    });
    expect(relay.applied.get('cut-rst exec')).toBeGreaterThan(0);
    expect(result).toMatchObject({ status: 'success', outputs: { files: 1, complete: true } });
    expect((await readFile(join(outputs, 'numbers'), 'utf8')).trimEnd().split('\n').length).toBe(300_000);
  });

  it.each([
    ['an upload', 'receive', { bytesUp: 2_000_000 }],
    ['a download', 'send', { bytesDown: 2_000_000 }],
  ] as const)(
    'finds within 30 s that the road of %s is dead, and starts it over',
    async (_, program, at) => {
      const { result, relay, logOf } = await stage.run(['cp /work/big /outputs; wc -c </outputs/big'], {
        request: (folder) => ({
          checkout: { folder: join(folder, 'checkout'), files: 'all', exclude: [] },
          outputs: { folder: join(folder, 'outputs'), collect: [], maxBytes: 1e9, maxFiles: 100 },
        }),
        before: async (folder) => {
          await mkdir(join(folder, 'checkout'));
          await writeFile(join(folder, 'checkout', 'big'), Buffer.alloc(5_000_000, 7));
        },
        rules: [{ do: 'stall', kind: 'exec', match: program, times: 1, at }],
      });
      expect(relay.applied.get('stall exec')).toBe(1);
      expect(result).toMatchObject({ status: 'success', outputs: { files: 1, complete: true } });
      expect(logOf(0).trim()).toBe('5000000');
      const { uploadMs, downloadMs } = result.timings;
      expect(Math.max(uploadMs ?? 0, downloadMs ?? 0)).toBeLessThan(30_000);
    },
    60_000,
  );

  it('sends the checkout again when it breaks on the way', async () => {
    const { result, logOf, relay } = await stage.run(['wc -c </work/big', 'ls -A /work'], {
      request: (folder) => ({ checkout: { folder: join(folder, 'checkout'), files: 'all', exclude: [] } }),
      before: async (folder) => {
        await mkdir(join(folder, 'checkout'));
        await writeFile(join(folder, 'checkout', 'big'), Buffer.alloc(5_000_000, 7));
      },
      rules: [{ do: 'cut', how: 'fin', kind: 'exec', times: 3, at: { bytesUp: 2_000_000 } }],
    });
    expect(relay.applied.get('cut-fin exec')).toBeGreaterThan(0);
    expect(result.status).toBe('success');
    expect(logOf(0).trim()).toBe('5000000');
    expect(logOf(1)).toBe('big\n');
  });
});
