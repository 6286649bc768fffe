import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunnerError } from '../../src/base/errors.ts';
import type { ApiCall, KubeApi } from '../../src/kube/kube-api.ts';
import { withRetries } from '../../src/kube/retries.ts';
import { retryAfterMs } from '../../src/kube/retry-after.ts';
import { manualClock } from './fixtures/manual-clock.ts';

/** An API that fails as told, then succeeds. */
function failing(errors: readonly Error[]): { api: KubeApi; calls: () => number } {
  let calls = 0;
  const next = (): void => {
    const error = errors[calls];
    calls += 1;
    if (error) throw error;
  };
  const api: KubeApi = {
    server: 'https://a',
    namespace: 'ci',
    request: async (_call, schema) => {
      next();
      return schema.parse('done');
    },
    watch: async function* () {},
    exec: async () => {
      next();
      throw new RunnerError('Internal', 'opened');
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return { api, calls: () => calls };
}

const lost = new RunnerError('ConnectionLost', 'lost', { retry: true });
const busy = (ms: number) => new RunnerError('Throttled', 'busy', { retry: true, retryAfterMs: ms });
const get: ApiCall = { method: 'GET', path: '/a' };

describe('withRetries', () => {
  const setUp = (errors: readonly Error[], options = {}) => {
    const clock = manualClock();
    const traces: string[] = [];
    const { api, calls } = failing(errors);
    const retrying = withRetries(api, clock, { random: () => 0.5, trace: (m) => traces.push(m), ...options });
    return { clock, traces, calls, api: retrying };
  };

  it('waits longer each time, with jitter, and tells', async () => {
    const { api, clock, traces } = setUp([lost, lost, lost]);
    expect(await api.request(get, z.string())).toBe('done');
    expect(clock.slept).toEqual([187.5, 375, 750]);
    expect(traces[0]).toBe('GET /a: lost; again in 0.2 s');
  });

  it('obeys the server where it asks for longer', async () => {
    const { api, clock } = setUp([busy(5000), busy(1)]);
    await api.request({ ...get, method: 'DELETE' }, z.string());
    expect(clock.slept).toEqual([5000, 375]);
  });

  it('gives up within the total time, with the last error', async () => {
    const { api, clock, calls } = setUp(Array(100).fill(lost), { totalMs: 10_000 });
    await expect(api.request(get, z.string())).rejects.toBe(lost);
    expect(clock.now()).toBeLessThanOrEqual(10_000);
    expect(calls()).toBeGreaterThan(4);
    const patient = setUp([busy(60_001)]);
    await expect(patient.api.request(get, z.string())).rejects.toThrow('busy');
    expect(patient.clock.slept).toEqual([]);
  });

  it.each(['POST', 'PATCH'] as const)('never repeats a %s', async (method) => {
    const { api, calls } = setUp([lost]);
    await expect(api.request({ ...get, method }, z.string())).rejects.toBe(lost);
    expect(calls()).toBe(1);
  });

  it('repeats a question of rights, for seconds only where nobody is there', async () => {
    const question: ApiCall = {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    };
    const reset = setUp([lost, lost, busy(20_000)]);
    expect(await reset.api.request(question, z.string())).toBe('done');
    const nobody = setUp(Array(100).fill(lost));
    await expect(nobody.api.request(question, z.string())).rejects.toBe(lost);
    expect(nobody.clock.now()).toBeLessThanOrEqual(5_000);
  });

  it('never repeats what will not change', async () => {
    const { api, calls } = setUp([new RunnerError('Forbidden', 'no')]);
    await expect(api.request(get, z.string())).rejects.toThrow('no');
    expect(calls()).toBe(1);
  });

  it('never repeats an exec: whoever opens one knows how long to try', async () => {
    const signal = new AbortController().signal;
    const call = { namespace: 'ci', pod: 'p', container: 'run', command: ['true'], signal };
    const refusal = new RunnerError('ApiRefused', 'container not found', { retry: true });
    const { api, calls } = setUp([refusal]);
    await expect(api.exec(call)).rejects.toBe(refusal);
    expect(calls()).toBe(1);
  });

  it('stops with the signal, with its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const { api, calls } = setUp([lost, lost], {
      trace: () => stop.abort(reason),
    });
    await expect(api.request({ ...get, signal: stop.signal }, z.string())).rejects.toBe(reason);
    expect(calls()).toBe(1);
  });
});

describe('Retry-After', () => {
  const now = new Date('2030-01-01T00:00:00Z');
  it.each([
    ['3', 3000],
    [' 0 ', 0],
    ['Tue, 01 Jan 2030 00:00:10 GMT', 10_000],
    ['Mon, 31 Dec 2029 00:00:10 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['-5', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});
