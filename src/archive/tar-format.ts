// The tar format is written and read by our own code because modern-tar (0.8.6, strict) falls short of what is
// promised here: it decodes names with replacement marks, so that one that is not UTF-8 cannot be refused; takes
// every unknown type (GNU sparse files, for one) for a regular file; writes long names and sizes over 8 GiB only
// as pax records, which old busybox builds ignore; cannot write or read times before 1970; and makes two web
// streams for each file, which is slow for thousands of small ones.

export const blockSize = 512;

/** Two zero blocks end an archive. */
export const endOfArchive: Uint8Array = Buffer.alloc(2 * blockSize);

/** The one-letter types of entries, as they stand in the header. */
export const typeFlag = {
  file: '0',
  link: '1',
  symlink: '2',
  characterDevice: '3',
  blockDevice: '4',
  folder: '5',
  fifo: '6',
  longName: 'L',
  longTarget: 'K',
  pax: 'x',
  paxGlobal: 'g',
} as const;

/** Where the fields of a header stand: offset and length. */
export const field = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  target: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

/** How many zero bytes follow content of this size. */
export const paddingAfter = (size: number): number => (blockSize - (size % blockSize)) % blockSize;

/** Content and its padding. */
export const paddedSize = (size: number): number => size + paddingAfter(size);

/** The sum of all bytes of a header with its checksum field taken as spaces. */
export function checksumOf(header: Uint8Array): number {
  const [start, length] = field.checksum;
  let sum = 32 * length;
  for (let at = 0; at < start; at += 1) sum += header[at] ?? 0;
  for (let at = start + length; at < blockSize; at += 1) sum += header[at] ?? 0;
  return sum;
}
