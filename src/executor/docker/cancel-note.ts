/** Between a container's name and who cancels its run. */
const mark = '.cancelled-by.';

/**
 * What a container is called while somebody elsewhere cancels its run: an engine changes no labels, but it renames,
 * and the run's own runner sees that, whenever it looks. The text is any, the name's characters are few.
 */
export const cancelledName = (name: string, by: string): string =>
  `${name}${mark}${Buffer.from(by).toString('base64url')}`;

/** Between that and in how many seconds at most the run's own runner ends it, once that has answered. */
const answer = '.ends-within.';

/** The same, with the runner's answer. */
export const answeredName = (cancelled: string, seconds: number): string => `${cancelled}${answer}${seconds}`;

/** The runner's answer in a container's name; undefined where it has given none. */
export const answerIn = (name: string): string | undefined => name.split(answer)[1];

/** Who cancels the run of the container of this name; undefined where nobody does. */
export function cancellerIn(name: string): string | undefined {
  const at = name.indexOf(mark);
  const [by = ''] = name.slice(at + mark.length).split(answer);
  return at < 0 ? undefined : Buffer.from(by, 'base64url').toString();
}

/** The name without the note. */
export const plainName = (name: string): string => name.replace(/^\//, '').split(mark)[0] ?? '';
