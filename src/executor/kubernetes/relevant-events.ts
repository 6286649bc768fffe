import type { EventObject } from './objects.ts';

/**
 * The events of the objects with these uids, oldest first. Events outlive their objects: one of an earlier run
 * may name an object of the same name.
 */
export function relevantEvents(
  events: readonly EventObject[],
  uids: readonly (string | undefined)[],
): EventObject[] {
  const time = ({ lastTimestamp, eventTime, metadata }: EventObject): string =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
  return events
    .filter(({ involvedObject }) => involvedObject.uid !== undefined && uids.includes(involvedObject.uid))
    .sort((a, b) => time(a).localeCompare(time(b)));
}
