/** What AsyncDisposableStack is, which Node 20 does not have. */
export class AsyncDisposables implements AsyncDisposable {
  readonly #ends: (() => unknown)[] = [];

  adopt<T>(value: T, end: (value: T) => unknown): T {
    this.#ends.push(() => end(value));
    return value;
  }

  /** Last first, each whatever became of the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (const end of this.#ends.reverse()) {
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
  }
}
