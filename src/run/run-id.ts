/** A new id of a run, in the shape of a random UUID; a valid name and label value in Kubernetes. */
export function newRunId(random: (count: number) => Uint8Array): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6); // version 4
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8); // variant 1
  const digits = bytes.toString('hex');
  return [8, 12, 16, 20, 32].map((end, part, ends) => digits.slice(ends[part - 1] ?? 0, end)).join('-');
}
