import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const lines = (last: number): string => Array.from({ length: last }, (_, at) => `${at + 1}\n`).join('');

describe.concurrent('an exec whose road breaks', () => {
  it('A2: is followed again when it falls silent with its sockets open', async () => {
    const began = performance.now();
    const { result, logOf, relay, leftovers } = await stage.run(['echo one; sleep 2; echo two'], {
      onEvent: (event, { stall }) => {
        if (event.type === 'log') stall('exec');
      },
    });
    expect(relay.applied.get('stall exec')).toBeGreaterThan(0);
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe('one\ntwo\n');
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(leftovers).toEqual([]);
  }, 60_000);

  it('A2: is followed again when it is closed without a status', async () => {
    const { result, logOf, relay } = await stage.run(['echo one; sleep 1; echo two'], {
      onEvent: (event, { cut }) => {
        if (event.type === 'log') cut('fin', 'exec');
      },
    });
    expect(relay.applied.get('cut-fin exec')).toBeGreaterThan(0);
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe('one\ntwo\n');
  });

  it('A3: loses no tail of its output on a slow link', async () => {
    const { result, logOf } = await stage.run(['seq 1 200000'], {
      rules: [{ do: 'throttle', kind: 'exec', bytesPerSecond: 1_000_000 }],
    });
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe(lines(200_000));
  });

  it('A3: takes up the output at the byte where each connection was cut', async () => {
    const { result, logOf, relay } = await stage.run(['seq 1 100000'], {
      rules: [{ do: 'cut', how: 'rst', kind: 'exec', times: 5, skip: 1, at: { bytesDown: 100_000 } }],
    });
    expect(relay.applied.get('cut-rst exec')).toBeGreaterThan(2);
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe(lines(100_000));
  });

  it('A4: outlives a road that is cut whenever it is idle', async () => {
    const { result, logOf, relay } = await stage.run(['sleep 4; echo done'], {
      rules: [{ do: 'idle', kind: 'exec', ms: 1_500 }],
    });
    expect(relay.applied.get('idle exec')).toBeGreaterThan(0);
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe('done\n');
  });

  it.each([
    [500, 'unable to upgrade connection: container not found ("run")'],
    [404, 'container not found ("run")'],
  ])('A6: is opened again after being refused with %i, and the step runs once', async (status, message) => {
    const { result, logOf, relay } = await stage.run(['echo once >>/work/ran; cat /work/ran'], {
      rules: [{ do: 'refuse', kind: 'exec', status, message, times: 2 }],
    });
    expect(relay.applied.get(`refuse-${status} exec`)).toBe(2);
    expect(result.status).toBe('success');
    expect(logOf(0)).toBe('once\n');
  });

  it('starts a step once although its script was cut short, and its start got lost', async () => {
    const padding = `# ${'-'.repeat(200_000)}`;
    const { result, logOf, relay } = await stage.run(
      [`${padding}\necho once >>/work/ran`, 'echo twice >>/work/ran; cat /work/ran'],
      {
        rules: [
          { do: 'cut', how: 'rst', kind: 'exec', match: 'bin%2Fstep', times: 2, at: { bytesUp: 100_000 } },
          { do: 'lose', kind: 'exec', match: 'bin%2Fstep', times: 2, skip: 1 },
        ],
      },
    );
    expect(relay.applied.get('cut-rst exec')).toBeGreaterThan(0);
    expect(result.status).toBe('success');
    expect(logOf(1)).toBe('once\ntwice\n');
  });

  it('A8: leaves nothing of a step running that it timed out, also when the road was cut', async () => {
    const command = '(while :; do echo beat >>/work/beat; sleep 0.2; done) & wait';
    const check = 'a=$(wc -l </work/beat); sleep 1; b=$(wc -l </work/beat); [ "$a" = "$b" ]';
    const { result } = await stage.run([command, check], {
      onEvent: (event, { cut }) => {
        if (event.type === 'step-started') setTimeout(() => cut('rst', 'exec'), 1_500);
      },
      request: () => ({
        workflow: {
          image: undefined,
          environment: {},
          timeoutMs: undefined,
          resources: { cpu: undefined, memory: undefined },
          steps: [command, check].map((text, index) => ({
            name: `step-${index}`,
            command: text,
            environment: {},
            secrets: 'all' as const,
            timeoutMs: index === 0 ? 1_500 : undefined,
            continueOnError: false,
            always: index === 1,
          })),
        },
      }),
    });
    expect(result.steps.map(({ status }) => status)).toEqual(['timeout', 'success']);
  });
});
