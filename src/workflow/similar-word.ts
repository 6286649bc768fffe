/** The word that was most likely meant, if one is near: two slips at most, and fewer in short words. */
export function similarWord(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(2, Math.floor(word.length / 3) + 1);
  const near = known
    .map((candidate) => ({ candidate, slips: slipsBetween(word.toLowerCase(), candidate) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.candidate;
}

/** Letters put in, left out or changed, and neighbours swapped. */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, changed, isSwap ? at(i - 2, j - 2) + 1 : changed),
      );
    }
  }
  return at(a.length, b.length);
}
