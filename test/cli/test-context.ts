import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import type { CliContext, EndSignal } from '../../src/cli/cli-context.ts';

export interface TestContext {
  readonly context: CliContext;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly send: (signal: EndSignal) => void;
}

/** A command's surroundings that are the test's own. */
export function testContext(env: Readonly<Record<string, string>> = {}, cwd = '/'): TestContext {
  const stdout = collected();
  const stderr = collected();
  const listeners = new Set<(signal: EndSignal) => void>();
  return {
    context: {
      process: {
        stdin: new PassThrough(),
        stdout: stdout.stream,
        stderr: stderr.stream,
        env,
        exitCode: null,
      },
      cwd,
      homeFolder: cwd,
      tempFolder: tmpdir(),
      signals: {
        listen(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    },
    stdout: stdout.text,
    stderr: stderr.text,
    send: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  };
}

function collected(): { stream: PassThrough; text: () => string } {
  const stream = new PassThrough();
  const chunks: Uint8Array[] = [];
  stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
