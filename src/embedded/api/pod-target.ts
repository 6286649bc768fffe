import type { KubeObject } from '../store/object.ts';
import { podOf } from '../store/pod.ts';
import { badRequest } from './status.ts';

/** The container that a request for a log or an exec means. */
export function containerNamed(object: KubeObject, asked: string | null): string {
  const pod = podOf(object);
  const { name } = pod.metadata;
  const names = pod.spec.containers.map((container) => container.name);
  if (!asked) {
    const [only] = names;
    if (only === undefined || names.length > 1)
      throw badRequest(
        `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
      );
    return only;
  }
  if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
  return asked;
}
