/** Asks again and again, for at most 30 s or as long as is said, until the answer is not undefined. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  ms = 30_000,
): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > until) throw new Error(`not within ${ms / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
