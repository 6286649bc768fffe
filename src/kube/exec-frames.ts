import type { ExecProtocol } from './kube-api.ts';

/** The frames of `v4.channel.k8s.io` and `v5.channel.k8s.io`: one byte that names the channel, then its bytes. */

/** Best first. */
export const execProtocols = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
] as const satisfies readonly ExecProtocol[];

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3 } as const;

const closeSignal = 255;

/** What goes ahead of a message's bytes, so that they are taken for standard input. */
export const stdinPrefix: Uint8Array = Uint8Array.of(channels.stdin);

/** A message that ends stdin alone; known from v5 on. */
export const endOfStdin: Uint8Array = Uint8Array.of(closeSignal, channels.stdin);

export function canEndStdin(protocol: ExecProtocol): boolean {
  return protocol === 'v5.channel.k8s.io';
}

export type OutputChannel = 'stdout' | 'stderr' | 'status';

/** Tells what comes by channels, message after message, each in any number of pieces. */
export class ChannelReader {
  #channel: OutputChannel | undefined;

  /** Undefined where there is nothing to tell, or it is on a channel that nobody should send on. */
  read(piece: Buffer, isStart: boolean): { channel: OutputChannel; bytes: Buffer } | undefined {
    if (isStart) this.#channel = outputChannelOf(piece[0]);
    const bytes = isStart ? piece.subarray(1) : piece;
    return this.#channel === undefined || bytes.length === 0 ? undefined : { channel: this.#channel, bytes };
  }
}

function outputChannelOf(byte: number | undefined): OutputChannel | undefined {
  switch (byte) {
    case channels.stdout:
      return 'stdout';
    case channels.stderr:
      return 'stderr';
    case channels.status:
      return 'status';
    default:
      return undefined;
  }
}
