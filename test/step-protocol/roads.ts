import { PassThrough } from 'node:stream';
import { RunnerError } from '../../src/base/errors.ts';
import type { ExecSession } from '../../src/base/exec-session.ts';

const broken = (): RunnerError => new RunnerError('ConnectionLost', 'cut by the test', { retry: true });

/** A session whose output breaks off after so many bytes. */
export function cutAfter(session: ExecSession, bytes: number): ExecSession {
  const stdout = new PassThrough();
  let left = bytes;
  let wasCut = false;
  const cut = (): void => {
    wasCut = true;
    stdout.destroy(broken());
    session.close();
  };
  session.stdout.on('data', (chunk: Buffer) => {
    if (wasCut) return;
    stdout.write(chunk.subarray(0, Math.max(0, left)));
    left -= chunk.length;
    if (left <= 0) setImmediate(cut);
  });
  session.stdout.on('end', () => stdout.end());
  return {
    ...session,
    stdout,
    exit: quiet(session.exit.then((exit) => (wasCut ? Promise.reject(broken()) : exit))),
    close: () => {
      stdout.destroy();
      session.close();
    },
    [Symbol.asyncDispose]: async () => session.close(),
  };
}

/** A session that breaks when so many bytes have been sent into it; they may or may not have arrived. */
export function cutSending(session: ExecSession, bytes: number): ExecSession {
  const stdin = new PassThrough();
  let left = bytes;
  stdin.on('data', (chunk: Buffer) => {
    if (left <= 0) return;
    session.stdin.write(chunk.subarray(0, Math.max(0, left)));
    left -= chunk.length;
    if (left <= 0) {
      session.stdin.end();
      setImmediate(() => session.stdout.destroy(broken()));
    }
  });
  return { ...session, stdin, exit: quiet(Promise.reject(broken())) };
}

/**
 * A session whose sending end sees it break after `bytes`, while the pod sees nothing of that. `later` brings what
 * was on the way, up to `bytesLater`, and the end; it resolves when the program has ended.
 */
export function seemsDead(
  session: ExecSession,
  bytes: number,
  bytesLater: number,
): { readonly session: ExecSession; readonly later: () => Promise<void> } {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const chunks: Buffer[] = [];
  let length = 0;
  stdin.on('data', (chunk: Buffer) => {
    if (length < bytes) session.stdin.write(chunk.subarray(0, bytes - length));
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytesLater) stdout.destroy(broken());
  });
  session.stdin.on('error', () => {});
  session.stdout.resume();
  return {
    session: { ...session, stdin, stdout, exit: quiet(Promise.reject(broken())), close: () => {} },
    later: async () => {
      session.stdin.end(Buffer.concat(chunks).subarray(bytes, bytesLater));
      await session.exit.catch(() => {});
    },
  };
}

/**
 * A session of a runtime that copies output a moment after it was written, and of what it has not copied when the
 * program ends tells nothing: seen of containerd, with an exec that was told as a success.
 */
export function forgetsItsEnd(session: ExecSession): ExecSession {
  const stdout = new PassThrough();
  const ended = session.exit.then(
    () => stdout.end(),
    () => stdout.end(),
  );
  session.stdout.on('data', (chunk: Buffer) => {
    const moment = AbortSignal.timeout(100);
    const copy = (): void => void (stdout.writable && stdout.write(chunk));
    moment.addEventListener('abort', copy, { once: true });
    void ended.then(() => moment.removeEventListener('abort', copy));
  });
  return { ...session, stdout };
}

function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** A session that breaks after so many bytes, of which the program hears nothing: a runtime goes on taking its output. */
export function abandonedAfter(session: ExecSession, bytes: number): ExecSession {
  const broken = cutAfter({ ...session, close: () => {} }, bytes);
  session.stdout.resume();
  return { ...broken, close: () => void broken.stdout.destroy() };
}
