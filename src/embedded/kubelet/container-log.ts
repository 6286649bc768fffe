import { EventEmitter, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const longestPart = 16 * 1024;
const newline = 0x0a;

/**
 * What a container wrote to its standard output and error, in one file with a time before each line, as the
 * container runtimes keep it.
 */
export interface ContainerLog {
  readonly path: string;
  /** Whether no more will come. */
  readonly ended: boolean;
  /** Resolves when there may be more to read, or no more. */
  changed(signal: AbortSignal): Promise<void>;
}

export function recordLog(
  path: string,
  outputs: { readonly stdout: Readable; readonly stderr: Readable },
  date: () => Date,
): ContainerLog {
  const file = createWriteStream(path, { flags: 'a' });
  const events = new EventEmitter().setMaxListeners(0);
  let open = 2;
  let ended = false;
  const tell = (): void => {
    events.emit('changed');
  };
  const end = (): void => {
    ended = true;
    tell();
  };
  file.on('finish', end);
  file.on('error', end); // a full disk: the log ends, the container goes on

  for (const [name, stream] of Object.entries(outputs)) {
    let rest: Buffer = Buffer.alloc(0);
    const write = (part: Uint8Array, tag: 'F' | 'P'): boolean => {
      const time = date().toISOString().replace('Z', '000000Z');
      return file.write(
        Buffer.concat([Buffer.from(`${time} ${name} ${tag} `), part, Buffer.from('\n')]),
        tell,
      );
    };
    stream.on('data', (chunk: Buffer) => {
      let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let free = true;
      for (let at = data.indexOf(newline); at >= 0 || data.length > longestPart; at = data.indexOf(newline)) {
        const whole = at >= 0 && at <= longestPart;
        free = write(data.subarray(0, whole ? at : longestPart), whole ? 'F' : 'P') && free;
        data = data.subarray(whole ? at + 1 : longestPart);
      }
      rest = data;
      if (free) return;
      stream.pause();
      file.once('drain', () => stream.resume());
    });
    stream.on('error', () => stream.destroy());
    stream.on('close', () => {
      if (rest.length > 0) write(rest, 'F');
      open -= 1;
      if (open === 0) file.end();
    });
  }
  return {
    path,
    get ended() {
      return ended;
    },
    changed: async (signal) => {
      if (!ended) await once(events, 'changed', { signal });
    },
  };
}

export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly since: Date | undefined;
}

/** One kept line as a client sees it; undefined when it is older than asked. */
function shown(line: Buffer, options: LogOptions): Buffer | undefined {
  const text = line.subarray(0, 64).toString('latin1');
  const [time = '', name = '', tag = ''] = text.split(' ', 3);
  if (options.since && new Date(time) < options.since) return undefined;
  const content = line.subarray(time.length + name.length + tag.length + 3);
  const parts = [options.timestamps ? Buffer.from(`${time} `) : Buffer.alloc(0), content];
  return Buffer.concat(tag === 'P' ? parts : [...parts, Buffer.from('\n')]);
}

/** The kept lines, and with `follow` those to come until the container's end. */
async function* lines(log: ContainerLog, follow: boolean, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await open(log.path, 'r');
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      signal.throwIfAborted();
      const last = log.ended;
      const changed = follow && !last ? log.changed(signal) : undefined;
      changed?.catch(() => {});
      const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536));
      if (bytesRead === 0) {
        if (!changed) return;
        await changed;
        continue;
      }
      let data = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let at = data.indexOf(newline); at >= 0; at = data.indexOf(newline)) {
        yield data.subarray(0, at);
        data = data.subarray(at + 1);
      }
      rest = data;
    }
  } finally {
    await file.close();
  }
}

export async function* readLog(
  log: ContainerLog,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let skip = 0;
  if (options.tailLines !== undefined) {
    let count = 0;
    for await (const _ of lines(log, false, signal)) count += 1;
    skip = Math.max(0, count - options.tailLines);
  }
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of lines(log, options.follow, signal)) {
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    const text = shown(line, options);
    if (!text) continue;
    yield text.subarray(0, left);
    left -= text.length;
    if (left <= 0) return;
  }
}
