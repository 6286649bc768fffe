import { expect, it } from 'vitest';
import { cpuOf, runChild } from '../../bench/child.ts';

const { signal } = new AbortController();

it("counts a program's CPU time and its children's, not the shell's around it", () => {
  expect(cpuOf('0m0.010s 0m0.020s\n1m2.500s 0m0.250s\n')).toBe(62_750);
  expect(cpuOf('0m0.01s 0m0.02s\n0m0.30s 0m0.04s\n')).toBeCloseTo(340);
});

it('tells what a program used', async () => {
  const burns = 'const until = Date.now() + 200; while (Date.now() < until) {}';
  const { ms, cpuMs, peakBytes } = await runChild([process.execPath, '-e', burns], { signal });
  expect(ms).toBeGreaterThan(200);
  expect(cpuMs).toBeGreaterThan(0);
  expect(peakBytes).toBeGreaterThan(10e6);
});

it('fails with what the program said', async () => {
  await expect(runChild(['sh', '-c', 'echo no luck >&2; exit 3'], { signal })).rejects.toThrow(
    /ended with 3: no luck/,
  );
});
