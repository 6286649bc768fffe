import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { badInput, messageOf } from '../../base/errors.ts';

const run = promisify(execFile);

/** The programs that make and enter pods, as absolute paths. */
export interface Programs {
  readonly setpriv: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly sh: string;
  readonly env: string;
  readonly mkfifo: string;
}

const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

async function find(name: string, path: string): Promise<string> {
  for (const folder of [...folders, ...path.split(':').filter((one) => one.startsWith('/'))]) {
    const file = join(folder, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  throw badInput(
    `The embedded cluster needs the program ${name}, which is not on this machine: install util-linux and coreutils, ` +
      'or use a real cluster (--kubeconfig)',
  );
}

/**
 * Finds the programs and tries whether pods can be made with them. Rejects with a RunnerError that names what
 * stands in the way and the cure.
 */
export async function findPrograms(platform: string, path: string): Promise<Programs> {
  if (platform !== 'linux')
    throw badInput(
      `The embedded cluster needs Linux, because its pods are made of Linux namespaces; this is ${platform}. ` +
        'Use a real cluster (--kubeconfig), or run it in a Linux machine or container',
    );
  const [setpriv, unshare, nsenter, sh, env, mkfifo] = await Promise.all([
    find('setpriv', path),
    find('unshare', path),
    find('nsenter', path),
    find('sh', path),
    find('env', path),
    find('mkfifo', path),
  ]);
  const programs = { setpriv, unshare, nsenter, sh, env, mkfifo };
  const args = [...namespaceArguments(programs, 0, 0), sh, '-c', 'mount -t proc proc /proc'];
  await run(setpriv, args, { env: { PATH: folders.join(':') }, timeout: 10_000 }).catch((error: unknown) => {
    throw badInput(
      `The embedded cluster cannot make a pod on this machine: ${messageOf(error, 500).replace(/\s+/g, ' ')}. ` +
        'It needs user namespaces: allow them (sysctl user.max_user_namespaces above 0, ' +
        'kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), and in a container ' +
        'start that with --privileged or --security-opt seccomp=unconfined --security-opt systempaths=unconfined; ' +
        'or use a real cluster (--kubeconfig)',
      error,
    );
  });
  return programs;
}

/**
 * Arguments of `setpriv` that run what follows as the first process of new namespaces, with the caller seen as
 * `uid` and `gid` in there. It and all that it starts is killed when this process ends in any way.
 */
export const namespaceArguments = (programs: Programs, uid: number, gid: number): string[] => [
  '--pdeathsig',
  'KILL',
  programs.unshare,
  '--user',
  `--map-user=${uid}`,
  `--map-group=${gid}`,
  '--keep-caps',
  '--mount',
  '--pid',
  '--uts',
  '--ipc',
  '--fork',
  '--kill-child',
];
