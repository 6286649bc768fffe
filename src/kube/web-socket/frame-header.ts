/** Of RFC 6455, section 5.2. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export type Opcode = (typeof opcodes)[keyof typeof opcodes];

export interface FrameHeader {
  readonly opcode: Opcode;
  readonly isLast: boolean;
  /** Of the payload, in bytes. */
  readonly length: number;
  /** Of the header itself, in bytes. */
  readonly size: number;
}

const longestControl = 125;

/** The header that `bytes` begin with, as a server sends one; undefined where more of it has to come. */
export function parseFrameHeader(bytes: Buffer): FrameHeader | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  if ((first & 0x70) !== 0) throw new Error('a WebSocket frame has a bit set that means nothing here');
  if ((second & 0x80) !== 0) throw new Error('a WebSocket frame of the server is masked');
  const opcode = opcodeOf(first & 0x0f);
  const isLast = (first & 0x80) !== 0;
  const short = second & 0x7f;
  const size = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (opcode >= opcodes.close && (!isLast || short > longestControl)) {
    throw new Error('a WebSocket control frame is too long or in pieces');
  }
  if (bytes.length < size) return undefined;
  return { opcode, isLast, size, length: lengthOf(bytes, short) };
}

function opcodeOf(code: number): Opcode {
  switch (code) {
    case opcodes.continuation:
    case opcodes.text:
    case opcodes.binary:
    case opcodes.close:
    case opcodes.ping:
    case opcodes.pong:
      return code;
    default:
      throw new Error(`a WebSocket frame has the unknown opcode ${code}`);
  }
}

function lengthOf(bytes: Buffer, short: number): number {
  if (short < 126) return short;
  if (short === 126) return bytes.readUInt16BE(2);
  const length = bytes.readBigUInt64BE(2);
  if (length > Number.MAX_SAFE_INTEGER) throw new Error('a WebSocket frame is longer than any can be');
  return Number(length);
}

/** The header of a whole message from a client, `mask` at its end. */
export function clientFrameHeader(opcode: Opcode, length: number, mask: Uint8Array): Buffer {
  const size = length > 0xffff ? 10 : length > longestControl ? 4 : 2;
  const header = Buffer.alloc(size + mask.length);
  header[0] = 0x80 | opcode;
  header[1] = 0x80 | (size === 10 ? 127 : size === 4 ? 126 : length);
  if (size === 10) header.writeBigUInt64BE(BigInt(length), 2);
  if (size === 4) header.writeUInt16BE(length, 2);
  header.set(mask, size);
  return header;
}
