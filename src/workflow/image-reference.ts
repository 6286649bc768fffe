import { badInput } from '../base/errors.ts';

// The grammar of github.com/distribution/reference, by which registries and engines read image names.
const hostForm =
  /^(?:(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])(?:\.(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9]))*|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$/;
const partForm = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestForm = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
const longestName = 255;

/** Throws a BadInput RunnerError for an image name that no registry could have. */
export function checkImageReference(image: string): void {
  const problem = problemOf(image);
  if (problem === undefined) return;
  throw badInput(
    `${JSON.stringify(image)} is no name of an image: ${problem}; write it like registry.example/team/name:tag`,
  );
}

function problemOf(image: string): string | undefined {
  if (image === '') return 'it is empty';
  if (/[\s\p{Cc}]/u.test(image)) return 'it has white space or control characters';
  if (image.includes('://')) return 'it is a URL; leave the scheme out';
  const { name, tag, digest } = split(image);
  if (digest !== undefined && !digestForm.test(digest)) return `${JSON.stringify(digest)} is no digest`;
  if (tag !== undefined && !tagForm.test(tag)) return `${JSON.stringify(tag)} is no tag`;
  if (name.length > longestName) return `it is longer than ${longestName} characters`;
  if (/^[0-9a-f]{64}$/.test(name)) return 'it looks like the id of an image on one machine';
  const parts = name.split('/');
  if (parts.length > 1 && isHost(parts[0] ?? '')) {
    const host = parts.shift() ?? '';
    if (!hostForm.test(host)) return `${JSON.stringify(host)} is no name of a registry`;
  }
  const wrong = parts.find((part) => !partForm.test(part));
  if (wrong === undefined) return undefined;
  if (wrong === '') return 'a part between slashes is empty';
  if (/[A-Z]/.test(wrong)) return `${JSON.stringify(wrong)} has upper-case letters`;
  return `${JSON.stringify(wrong)} is no part of a name`;
}

function split(image: string): { name: string; tag: string | undefined; digest: string | undefined } {
  const at = image.indexOf('@');
  const digest = at === -1 ? undefined : image.slice(at + 1);
  const rest = at === -1 ? image : image.slice(0, at);
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const tag = colon === -1 ? undefined : rest.slice(colon + 1);
  return { name: colon === -1 ? rest : rest.slice(0, colon), tag, digest };
}

/** As docker decides whether a name begins with a registry. */
const isHost = (part: string): boolean =>
  /[.:]/.test(part) || part === 'localhost' || part !== part.toLowerCase();
