/** Asks again and again, for at most 30 s, until the answer is not undefined. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const until = performance.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > until) throw new Error(`not within 30 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
