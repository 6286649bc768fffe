/** Bytes as a stream of chunks of at most `size`. */
export async function* chunksOf(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** The warnings that a call gave. */
export class Warnings {
  readonly all: string[] = [];
  readonly warn = (message: string): void => {
    this.all.push(message);
  };
}
