import { createHash } from 'node:crypto';

/** The longest name that a Job may have and still give its pods names of their own. */
const longestStem = 37;

/**
 * The name of a run's objects: valid whatever the text, the same for the same text, different for different
 * texts. `My build!` → `knotless-my-build-` and ten digits of a digest.
 */
export function objectName(runName: string): string {
  const slug = runName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestStem)
    .replace(/-+$/, '');
  return ['knotless', slug, digestOf(runName)].filter((part) => part !== '').join('-');
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);
