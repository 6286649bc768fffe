import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { Sandbox, StepControl, StepRequest, StepVerdict } from '../../src/executor/executor.ts';

/** What a step came to, and all that it wrote. */
export interface Ran {
  readonly verdict: StepVerdict;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly stop?: AbortSignal;
  readonly abandon?: AbortSignal;
  /** Hears all the bytes so far, each time that some have come. */
  readonly onOutput?: (text: string) => void | Promise<void>;
}

const never: StepControl['stop'] = new AbortController().signal;

/** An open sandbox whose steps are numbered as they come. */
export class Session {
  readonly sandbox: Sandbox;
  #steps = 0;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  async run(command: string, options: RunOptions = {}): Promise<Ran> {
    const chunks: Buffer[] = [];
    const verdict = await this.sandbox.runStep(
      this.#request(command, options),
      async (bytes) => {
        chunks.push(Buffer.from(bytes));
        await options.onOutput?.(Buffer.concat(chunks).toString());
      },
      { stop: options.stop ?? never, abandon: options.abandon ?? never },
    );
    const bytes = Buffer.concat(chunks);
    return { verdict, bytes, text: bytes.toString() };
  }

  /** For a command that has to pass: its output, or an error that shows what it said. */
  async output(command: string, options: RunOptions = {}): Promise<string> {
    const { verdict, text } = await this.run(command, options);
    if (verdict.kind !== 'exited' || verdict.exitCode !== 0) {
      throw new Error(`"${command}" came to ${JSON.stringify(verdict)}: ${text}`);
    }
    return text;
  }

  #request(command: string, { environment = {}, secrets = {} }: RunOptions): StepRequest {
    const index = this.#steps++;
    return {
      index,
      nonce: randomBytes(8).toString('hex'),
      name: `step ${index}`,
      command,
      environment,
      secrets,
      following: 1,
    };
  }
}

/** One sandbox for all the tests of a group. */
export function sharedSession(open: () => Promise<Sandbox>): () => Session {
  let session: Session | undefined;
  beforeAll(async () => {
    session = new Session(await open());
  });
  afterAll(async () => {
    await session?.sandbox.close(AbortSignal.timeout(30_000));
  });
  return () => {
    if (!session) throw new Error('the sandbox is not open');
    return session;
  };
}
