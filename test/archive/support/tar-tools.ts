import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Real programs that read and write archives in pods, and what they do not keep of the odd tree: busybox tar makes
 * hard links, and symbolic links that lead upwards, after everything else, which changes their folder's time; as an
 * ordinary user it sets no mode of a folder that it has made before.
 */
export const tarTools = [
  { name: 'GNU tar', argv: ['tar'], lost: [], lostByUser: [] },
  { name: 'busybox tar', argv: ['busybox', 'tar'], lost: ['pair'], lostByUser: ['pair', 'read-only'] },
].filter(({ name, argv }) => {
  const isHere = works(argv);
  if (!isHere) console.log(`skipped: what is tried with ${name}, which is not installed here`);
  return isHere;
});

export interface TarTool {
  readonly name: string;
  readonly argv: readonly string[];
}

function works([program = '', ...argv]: readonly string[]): boolean {
  try {
    execFileSync(program, [...argv, '--help'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** Feeds an archive to a tool; rejects with what it said where it did not end with 0. */
export async function extract(
  tool: TarTool,
  bytes: AsyncIterable<Uint8Array>,
  folder: string,
  user: { readonly uid?: number; readonly gid?: number } = {},
): Promise<string> {
  const [program = '', ...argv] = tool.argv;
  const child = spawn(program, [...argv, '-x', '-p', '-o', '-f', '-', '-C', folder], {
    stdio: ['pipe', 'ignore', 'pipe'],
    ...user,
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const closed = once(child, 'close');
  await pipeline(Readable.from(bytes), child.stdin);
  const [code] = await closed;
  const said = Buffer.concat(errors).toString();
  if (code !== 0) throw new Error(`${tool.name} ended with ${code}: ${said}`);
  return said;
}

/** What a tool tells of the entries of an archive, as far as it goes. */
export const listing = ({ argv: [program = '', ...argv] }: TarTool, bytes: Uint8Array): string =>
  spawnSync(program, [...argv, '-t', '-v', '-f', '-'], { input: bytes }).stdout.toString();

/** The first bytes of the archive that a tool makes of a file, which may be huge. */
export async function beginning(tool: TarTool, folder: string, path: string): Promise<Buffer> {
  const [program = '', ...argv] = tool.argv;
  const child = spawn(program, [...argv, '-c', '-f', '-', '-C', folder, path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [chunk] = await once(child.stdout, 'data');
  child.kill();
  return chunk;
}

/** The archive that a tool makes of the named paths in a folder. */
export function create(tool: TarTool, folder: string, ...paths: readonly string[]): Buffer {
  const [program = '', ...argv] = tool.argv;
  return execFileSync(program, [...argv, '-c', '-f', '-', '-C', folder, ...paths], {
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
