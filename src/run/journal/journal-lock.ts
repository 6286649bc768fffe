import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { badInput } from '../../base/errors.ts';
import { errorCodeOf } from '../../base/system-error.ts';

/** A process, told from later ones of the same number by when it began. */
export interface ProcessMark {
  readonly pid: number;
  /** In the kernel's own unit; null where it does not tell. */
  readonly begun: string | null;
}

const markSchema = z.object({ pid: z.int().positive(), begun: z.string().nullable() });

export async function markOfProcess(pid: number): Promise<ProcessMark> {
  return { pid, begun: await beginningOf(pid) };
}

/** Makes `path` say who holds it. Rejects with BadInput while another living process does. */
export async function takeLock(path: string, holder: ProcessMark, what: string): Promise<void> {
  const own = `${path}.${holder.pid}`;
  await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
  try {
    while (!(await linked(own, path))) {
      const other = await readMark(path);
      if (other && (await isAlive(other))) {
        throw badInput(
          `${what} is under way in process ${other.pid}; wait for its end, or follow it with attach`,
        );
      }
      await clearStale(path, `${own}.stale`, other);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Whether a living process holds the lock. */
export async function isHeld(path: string): Promise<boolean> {
  const mark = await readMark(path);
  return mark !== null && (await isAlive(mark));
}

/** Unlike an exclusive create, this makes the lock with its content in one go. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Two may find the same dead holder; only what was looked at is taken away. */
async function clearStale(path: string, aside: string, seen: ProcessMark | null): Promise<void> {
  try {
    await rename(path, aside);
  } catch {
    return; // somebody else was faster
  }
  const moved = await readMark(aside);
  if (moved && (moved.pid !== seen?.pid || moved.begun !== seen.begun)) await linked(aside, path);
  await rm(aside, { force: true });
}

async function readMark(path: string): Promise<ProcessMark | null> {
  try {
    return markSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null; // gone, or of no use to anybody
  }
}

async function isAlive({ pid, begun }: ProcessMark): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCodeOf(error) !== 'EPERM') return false;
  }
  const now = await beginningOf(pid);
  return begun === null || now === null || begun === now;
}

/** The 22nd field of /proc/PID/stat; the second may hold blanks, but it ends with the last bracket. */
async function beginningOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
