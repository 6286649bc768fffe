import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Real programs that read and write archives in pods. */
export const tarTools = [
  { name: 'GNU tar', argv: ['tar'] },
  { name: 'busybox tar', argv: ['busybox', 'tar'] },
].filter(({ name, argv }) => {
  const isHere = works(argv);
  if (!isHere) console.log(`skipped: what is tried with ${name}, which is not installed here`);
  return isHere;
});

export type TarTool = (typeof tarTools)[number];

function works([program = '', ...argv]: readonly string[]): boolean {
  try {
    return execFileSync(program, [...argv, '--help'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
}

/** Feeds an archive to a tool; rejects with what it said where it did not end with 0. */
export async function extract(
  tool: TarTool,
  bytes: AsyncIterable<Uint8Array>,
  folder: string,
): Promise<string> {
  const [program = '', ...argv] = tool.argv;
  const child = spawn(program, [...argv, '-x', '-p', '-o', '-f', '-', '-C', folder], {
    stdio: ['pipe', 'ignore', 'pipe'],
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

/** The archive that a tool makes of the named paths in a folder. */
export function create(tool: TarTool, folder: string, ...paths: readonly string[]): Buffer {
  const [program = '', ...argv] = tool.argv;
  return execFileSync(program, [...argv, '-c', '-f', '-', '-C', folder, ...paths], {
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
