/** A `Retry-After` header in milliseconds: seconds or an HTTP date. Undefined where it says nothing usable. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]+,? /.test(text)) return undefined; // Date.parse takes "-5" for a year
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
