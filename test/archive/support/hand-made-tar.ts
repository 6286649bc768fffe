/** An entry as a hostile pod may send it; nothing is checked here. */
export interface HandMadeEntry {
  readonly name: string | Uint8Array;
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly target?: string | Uint8Array;
  readonly mode?: number;
  /** Said in the header, whatever the content is; -1 in base-256. */
  readonly size?: number;
  readonly mtime?: number;
  readonly magic?: string;
  readonly prefix?: string;
}

/** Header, content and padding, by code of its own, so that no mistake of the writer can hide here. */
export function entryBlocks(entry: HandMadeEntry): Buffer {
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(Math.max(entry.size ?? content.length, 0), 12), 124);
  if ((entry.size ?? 0) < 0) header.fill(0xff, 124, 136);
  header.write(octal(entry.mtime ?? 1_600_000_000, 12), 136);
  header.write('        ', 148);
  header.write(entry.type ?? '0', 156, 'latin1');
  Buffer.from(entry.target ?? '').copy(header, 157, 0, 100);
  header.write(entry.magic ?? 'ustar\x0000', 257, 'latin1');
  header.write(entry.prefix ?? '', 345);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

export const tarEnd = Buffer.alloc(1024);
export const lastEntry: HandMadeEntry = { name: 'end-of-outputs', content: 'ok' };

/** A whole archive, with its last entry. */
export const handMadeTar = (...entries: readonly HandMadeEntry[]): Buffer =>
  Buffer.concat([...entries.map(entryBlocks), entryBlocks(lastEntry), tarEnd]);

export function paxContent(records: Readonly<Record<string, string>>): string {
  const record = ([key, value]: readonly [string, string]): string => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest;
    while (length !== rest + String(length).length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  };
  return Object.entries(records).map(record).join('');
}
