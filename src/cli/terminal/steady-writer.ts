import type { OutputStream } from '../cli-context.ts';

/**
 * Writes text and waits until the stream took it. A reader that is gone or a full disk does not throw: from
 * then on nothing is written and `failure` says why, so that a run can still end in order.
 */
export class SteadyWriter {
  readonly #stream: OutputStream;
  #failure: Error | null = null;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  async write(text: string): Promise<void> {
    if (this.#failure !== null || text === '') return;
    await new Promise<void>((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#failure ??= error;
        resolve();
      });
    });
  }
}
