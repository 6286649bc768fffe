import { badInput } from '../../base/errors.ts';
import { quote } from './scalars.ts';

const hostPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const host = new RegExp(`^(?:${hostPart}(?:\\.${hostPart})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]{1,5})?$`);
const path = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const tag = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digest = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Refuses a name that no registry could have, by the grammar that docker and the kubelet use; gives it back as it was. */
export function checkImage(image: string): string {
  const problem = problemOf(image);
  if (problem === null) return image;
  throw badInput(
    `${quote(image)} is not an image name: ${problem}; write it as busybox:1.36 or registry.example/team/image:tag`,
  );
}

function problemOf(image: string): string | null {
  if (image === '') return 'it is empty';
  const [beforeDigest = '', ...digests] = image.split('@');
  if (digests.length > 1) return 'it has more than one @';
  if (digests[0] !== undefined && !digest.test(digests[0])) return 'its digest is not of the form sha256:…';
  const colon = beforeDigest.lastIndexOf(':');
  const tagged = colon > beforeDigest.lastIndexOf('/');
  const name = tagged ? beforeDigest.slice(0, colon) : beforeDigest;
  if (tagged && !tag.test(beforeDigest.slice(colon + 1))) {
    return 'its tag has characters that no tag can have, or is empty or too long';
  }
  const { registry, repository } = splitRegistry(name);
  if (registry !== null && !host.test(registry)) return `${quote(registry)} is not a registry's address`;
  if (repository === '') return 'it names no repository';
  if (/[A-Z]/.test(repository)) return `the repository ${quote(repository)} has capital letters`;
  if (!path.test(repository)) return `the repository ${quote(repository)} has characters that none can have`;
  if (name.length > 255) return 'it is longer than 255 characters';
  return null;
}

/** The first part is a registry only if it looks like one: a dot, a port, capitals, or localhost. */
function splitRegistry(name: string): { registry: string | null; repository: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const isRegistry = /[.:A-Z]/.test(first) || first === 'localhost';
  return isRegistry
    ? { registry: first, repository: name.slice(slash + 1) }
    : { registry: null, repository: name };
}
