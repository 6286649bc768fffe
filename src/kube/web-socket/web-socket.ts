import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { clientFrameHeader, type Opcode, opcodes } from './frame-header.ts';
import { FrameReader } from './frame-reader.ts';
import type { Upgraded } from './handshake.ts';
import { masked } from './mask.ts';

/** How long the server may take to close its side after the close frames. */
const closePatienceMs = 2_000;
/** Below it, bytes are sent together with their header; above, without being copied. */
const smallMessage = 16 * 1024;

export interface WebSocketOptions<Protocol extends string> extends Upgraded<Protocol> {
  readonly clock: Clock;
  /**
   * Masks keep scripts of browsers from talking to proxies on the way; inside TLS there is nobody to talk to, and a
   * mask of zeros saves a pass over every byte.
   */
  readonly isInsideTls: boolean;
}

/** How a WebSocket ended. */
export interface WebSocketEnd {
  /** What the server closed it with: 1005 for a close without a code, 1006 where the connection ended without one. */
  readonly code: number;
  /** What broke it. */
  readonly error: Error | undefined;
}

/** An open WebSocket, seen from the client. Extensions are not spoken. */
export class WebSocket<Protocol extends string> {
  readonly protocol: Protocol;
  readonly #socket: Duplex;
  readonly #options: WebSocketOptions<Protocol>;
  /** Settles when nothing comes any more. */
  readonly closed: Promise<WebSocketEnd>;
  #over: (code: number) => void = () => {};
  #broken: Error | undefined;
  #isOver = false;
  /** Aborted when the connection is gone. */
  readonly #closing = new AbortController();

  /** `onMessage` gets the next bytes of a message, at least one; `isStart` with its first. Not within this call. */
  constructor(options: WebSocketOptions<Protocol>, onMessage: (bytes: Buffer, isStart: boolean) => void) {
    const { socket, head } = options;
    this.protocol = options.protocol;
    this.#socket = socket;
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#over = (code) => {
        this.#isOver = true;
        resolve({ code, error: this.#broken });
      };
    });
    if (socket instanceof Socket) {
      socket.setTimeout(0); // the agent's was for idle connections
      socket.setNoDelay(true);
    }
    const reader = new FrameReader({
      message: onMessage,
      ping: (payload) => this.#control(opcodes.pong, payload),
      close: (code) => this.#closedByServer(code),
    });
    const receive = (bytes: Buffer): void => {
      try {
        if (!this.#isOver) reader.push(bytes);
      } catch (error) {
        this.#broken ??= error instanceof Error ? error : new Error(String(error));
        this.terminate();
      }
    };
    socket.on('error', (error) => {
      this.#broken ??= error;
    });
    socket.once('end', () => this.terminate());
    socket.once('close', () => {
      this.#closing.abort();
      this.#over(1006);
    });
    if (head.length > 0) socket.unshift(head);
    socket.on('data', receive);
  }

  /** Bytes that were sent and that the network has not yet taken. */
  get waitingBytes(): number {
    return this.#socket.writableLength;
  }

  get isPaused(): boolean {
    return this.#socket.isPaused();
  }

  /** Stops reading; what has come in one piece with the last bytes is still told. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /**
   * Sends one binary message of `prefix` and `bytes`, which must not change before `taken` is called: when the
   * network has taken them, or with the reason why it will not.
   */
  send(prefix: Uint8Array, bytes: Uint8Array, taken: (error?: Error | null) => void): void {
    const { isInsideTls } = this.#options;
    const mask = isInsideTls ? new Uint8Array(4) : randomBytes(4);
    const header = clientFrameHeader(opcodes.binary, prefix.length + bytes.length, mask);
    const message = isInsideTls ? [prefix, bytes] : [masked(Buffer.concat([prefix, bytes]), mask)];
    if (bytes.length <= smallMessage) {
      this.#socket.write(Buffer.concat([header, ...message]), taken);
    } else {
      this.#socket.write(Buffer.concat([header, ...message.slice(0, -1)]));
      this.#socket.write(message.at(-1), taken);
    }
  }

  /** Asks for a sign of life; the road stays open by it. */
  ping(): void {
    this.#control(opcodes.ping, Buffer.alloc(0));
  }

  /** Drops the connection at once. */
  terminate(): void {
    this.#socket.destroy();
  }

  #control(opcode: Opcode, payload: Buffer): void {
    if (!this.#socket.writable) return;
    const mask = randomBytes(4);
    this.#socket.write(
      Buffer.concat([clientFrameHeader(opcode, payload.length, mask), masked(payload, mask)]),
    );
  }

  #closedByServer(code: number): void {
    const payload = Buffer.alloc(code === 1005 ? 0 : 2);
    if (payload.length > 0) payload.writeUInt16BE(code);
    this.#control(opcodes.close, payload);
    this.#socket.end(() => this.terminate());
    this.#socket.resume(); // its end would not be seen
    this.#options.clock.sleep(closePatienceMs, this.#closing.signal).then(
      () => this.terminate(),
      () => {},
    );
    this.#over(code);
  }
}
