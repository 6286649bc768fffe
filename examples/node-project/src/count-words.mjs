/** How often each word stands in a text, the most frequent first; equal ones in the order of the alphabet. */
export function countWords(text) {
  const counts = new Map();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}'’-]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
