import { RunnerError } from '../../base/errors.ts';
import type { OpenExec } from '../../base/exec-session.ts';
import type { Owner } from '../executor.ts';

const ask =
  'while read -r key id _; do case $key in Uid: | Gid:) echo "$id" ;; esac; done </proc/self/status';

/** The numbers of the user that a container's programs run as: only the container knows them where a name was said. */
export async function ownerOf(user: string, exec: OpenExec, signal: AbortSignal): Promise<Owner> {
  if (/^(0|root)?$/.test(user)) return { uid: 0, gid: 0 };
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(user) ?? [];
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  await using session = await exec(['sh', '-c', ask], signal);
  session.stdin.end();
  session.stderr.resume();
  let text = '';
  for await (const chunk of session.stdout) text = (text + String(chunk)).slice(0, 100);
  const [, told, toldGroup] = /^(\d{1,10})\n(\d{1,10})\n$/.exec(text) ?? [];
  if (told === undefined || toldGroup === undefined) {
    throw new RunnerError('ConnectionLost', `the container did not say who its user is`, { retry: true });
  }
  return { uid: Number(told), gid: Number(toldGroup) };
}
