/** A copy of `bytes` under a mask of four bytes (RFC 6455, section 5.3). */
export function masked(bytes: Uint8Array, mask: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  for (const [index, byte] of mask.entries()) {
    for (let at = index; at < copy.length; at += 4) copy[at] = (copy[at] ?? 0) ^ byte;
  }
  return copy;
}
