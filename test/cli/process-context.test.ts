import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)(
  'a process that is sent %s in its last moments ends in order',
  async (signal) => {
    const program = fileURLToPath(new URL('./support/signalled-late.ts', import.meta.url));
    const child = spawn(process.execPath, ['scripts/run-ts.mjs', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill(signal);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
  },
);
