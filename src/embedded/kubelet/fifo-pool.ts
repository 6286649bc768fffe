import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);
const batch = 24;

/** One end for a child process; it must be closed here once the child has it. */
interface Ends<S> {
  readonly childFd: number;
  readonly stream: S;
}

/**
 * Real pipes between this process and its children. Node itself gives a child sockets, and a program in a pod
 * that opens /dev/stdout or /dev/stderr again (`echo x >/dev/stderr`) fails on a socket.
 */
export interface FifoPool {
  output(): Promise<Ends<Readable>>;
  input(): Promise<Ends<Writable>>;
}

/** Makes pipes in `folder`; `mkfifo` is started once for many of them, ahead of the need. */
export async function createFifoPool(folder: string, mkfifo: string): Promise<FifoPool> {
  let count = 0;
  const ready: string[] = [];
  let filling: Promise<void> | undefined;

  async function make(): Promise<void> {
    const names = Array.from({ length: batch }, () => join(folder, `fifo-${count++}`));
    await run(mkfifo, ['-m', '600', ...names]);
    ready.push(...names);
  }
  function fill(): Promise<void> {
    filling ??= make().finally(() => {
      filling = undefined;
    });
    return filling;
  }
  async function take(): Promise<string> {
    while (ready.length === 0) await fill();
    const name = ready.shift();
    if (name === undefined) return take();
    // The next one to ask hears of a failure; here it would only be in the way.
    if (ready.length < batch / 2) fill().catch(() => {});
    return name;
  }

  await fill();
  return {
    async output() {
      const path = await take();
      // Opened for reading first, so that opening it for writing does not wait.
      const own = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const childFd = openSync(path, constants.O_WRONLY);
      unlinkSync(path);
      return { childFd, stream: new Socket({ fd: own, readable: true, writable: false }) };
    },
    async input() {
      const path = await take();
      const first = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const own = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      const childFd = openSync(path, constants.O_RDONLY); // its own description: the child's must block
      closeSync(first);
      unlinkSync(path);
      return { childFd, stream: new Socket({ fd: own, readable: false, writable: true }) };
    },
  };
}
