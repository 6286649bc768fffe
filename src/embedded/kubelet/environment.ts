import type { Container } from '../store/pod.ts';
import { expand } from './expansion.ts';

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that a container's processes find in their environment. Nothing of this machine's own gets in. */
export function environmentOf(
  container: Container,
  hostname: string,
  uid: number,
  extraPath: string,
): Record<string, string> {
  const variables: Record<string, string> = {
    PATH: extraPath === '' ? path : `${path}:${extraPath}`,
    HOSTNAME: hostname,
    HOME: uid === 0 ? '/root' : '/',
  };
  for (const { name, value } of container.env ?? []) variables[name] = expand(value ?? '', variables);
  return variables;
}

/** The argument list that process 1 of a container gets. Without a command an image's own would run: there is none. */
export function commandOf(container: Container, variables: Readonly<Record<string, string>>): string[] {
  return [...(container.command ?? []), ...(container.args ?? [])].map((one) => expand(one, variables));
}
