import { type FrameHeader, opcodes, parseFrameHeader } from './frame-header.ts';

export interface FrameHandler {
  /** The next bytes of a message, at least one; `isStart` with its first. */
  readonly message: (bytes: Buffer, isStart: boolean) => void;
  readonly ping: (payload: Buffer) => void;
  /** With the code that the server gave, or 1005 for none (RFC 6455, section 7.1.5). Nothing is told after it. */
  readonly close: (code: number) => void;
}

const none: Buffer = Buffer.alloc(0);

/**
 * Takes apart what a server sends, which is not trusted. A message is handed on as it comes, in pieces of the bytes
 * that came and never gathered: so its length needs no limit, and nothing is copied.
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  /** A header of which more has to come. */
  #held = none;
  #frame: FrameHeader | undefined;
  /** What is still to come of the frame's payload. */
  #left = 0;
  /** The payload of a control frame so far. */
  #control = none;
  #isInMessage = false;
  #isStart = false;
  #isClosed = false;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Throws where the bytes break the protocol; nothing may follow then. */
  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isClosed) {
      rest = this.#frame ? this.#takePayload(this.#frame, rest) : this.#takeHeader(rest);
    }
  }

  #takeHeader(bytes: Buffer): Buffer {
    const held = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes;
    const frame = parseFrameHeader(held);
    this.#held = frame ? none : held;
    if (!frame) return none;
    this.#begin(frame);
    return held.subarray(frame.size);
  }

  #begin(frame: FrameHeader): void {
    if (frame.opcode < opcodes.close) {
      if (this.#isInMessage !== (frame.opcode === opcodes.continuation)) {
        throw new Error('a WebSocket message begins within another, or goes on without one');
      }
      this.#isStart ||= !this.#isInMessage;
      this.#isInMessage = !frame.isLast;
    }
    this.#frame = frame;
    this.#left = frame.length;
    this.#control = none;
    if (frame.length === 0) this.#end(frame);
  }

  #takePayload(frame: FrameHeader, bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    if (frame.opcode < opcodes.close) {
      this.#handler.message(part, this.#isStart);
      this.#isStart = false;
    } else {
      this.#control = Buffer.concat([this.#control, part]);
    }
    if (this.#left === 0) this.#end(frame);
    return bytes.subarray(part.length);
  }

  #end({ opcode }: FrameHeader): void {
    this.#frame = undefined;
    const payload = this.#control;
    if (opcode === opcodes.ping) this.#handler.ping(payload);
    if (opcode !== opcodes.close) return;
    if (payload.length === 1) throw new Error('a WebSocket was closed with half a code');
    this.#isClosed = true;
    this.#handler.close(payload.length === 0 ? 1005 : payload.readUInt16BE(0));
  }
}
