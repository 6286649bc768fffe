/** Between a container's name and who cancels its run. */
const mark = '.cancelled-by.';

/**
 * What a container is called while somebody elsewhere cancels its run: an engine changes no labels, but it renames,
 * and the run's own runner sees that, whenever it looks. The text is any, the name's characters are few.
 */
export const cancelledName = (name: string, by: string): string =>
  `${name}${mark}${Buffer.from(by).toString('base64url')}`;

/** Who cancels the run of the container of this name; undefined where nobody does. */
export function cancellerIn(name: string): string | undefined {
  const at = name.indexOf(mark);
  return at < 0 ? undefined : Buffer.from(name.slice(at + mark.length), 'base64url').toString();
}

/** The name without the note. */
export const plainName = (name: string): string => name.replace(/^\//, '').split(mark)[0] ?? '';
