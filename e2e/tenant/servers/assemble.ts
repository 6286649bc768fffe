export interface Ends {
  /** What has to be done at the end; it is done last first. */
  readonly add: (end: () => Promise<unknown>) => void;
}

/** Builds something of parts that must each be closed, also when a later part fails to come up. */
export async function assemble<T extends object>(
  build: (ends: Ends) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const all: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let end = all.pop(); end; end = all.pop()) {
      await end().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not all could be closed');
  };
  try {
    const built = await build({ add: (end) => void all.push(end) });
    return { ...built, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
