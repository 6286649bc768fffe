import type { ExecProtocol } from './kube-api.ts';

/** The frames of `v4.channel.k8s.io` and `v5.channel.k8s.io`: one byte that names the channel, then its bytes. */

/** Best first. */
export const execProtocols = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
] as const satisfies readonly ExecProtocol[];

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3 } as const;

const closeSignal = 255;

export function stdinFrame(bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(bytes.length + 1);
  frame[0] = channels.stdin;
  frame.set(bytes, 1);
  return frame;
}

/** Ends stdin alone; known from v5 on. */
export function endOfStdinFrame(): Buffer {
  return Buffer.from([closeSignal, channels.stdin]);
}

export function canEndStdin(protocol: string): boolean {
  return protocol === 'v5.channel.k8s.io';
}

/** Null for an empty frame and for a channel that nobody should send on. */
export function parseFrame(frame: Buffer): { channel: 'stdout' | 'stderr' | 'status'; bytes: Buffer } | null {
  const bytes = frame.subarray(1);
  switch (frame[0]) {
    case channels.stdout:
      return { channel: 'stdout', bytes };
    case channels.stderr:
      return { channel: 'stderr', bytes };
    case channels.status:
      return { channel: 'status', bytes };
    default:
      return null;
  }
}
