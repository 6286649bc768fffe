import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/run/event-schema.ts';
import { HastyClock } from './hasty-clock.ts';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.concurrent('a wait is never without its reason', () => {
  it('a pod that runs and into which no exec gets is told of, and ends with the ready timeout', async () => {
    const events: RunEvent[] = [];
    const { result, leftovers } = await stage.run(['true'], {
      rules: [{ do: 'refuse', kind: 'exec', status: 500, message: 'the tunnel is closed' }],
      onEvent: (event) => void events.push(event),
      request: () => ({ limits: { timeoutMs: 60_000, readyMs: 4_000, orphanMs: 120_000, graceMs: 500 } }),
    });
    expect(result).toMatchObject({ status: 'timeout', reason: { code: 'ReadyTimeout' } });
    expect(result.reason?.message).toContain('the tunnel is closed');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'waiting', message: expect.stringContaining('the tunnel is closed') }),
    );
    expect(leftovers).toEqual([]);
  });

  it('an API that is away for long in mid-step is told of', async () => {
    const clock = new HastyClock();
    const { result, logOf } = await stage.run(['echo one; sleep 4; echo two'], {
      clock,
      onEvent: (event, relay) => {
        if (event.type !== 'log' || Buffer.from('text' in event ? event.text : '').includes('two')) return;
        relay.down();
        clock.hurry(8);
        setTimeout(() => {
          clock.hurry(1);
          relay.up();
        }, 3_000);
      },
    });
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe('one\ntwo\n');
    expect(result.warnings.join('\n')).toMatch(/cannot be reached/);
  });
});
