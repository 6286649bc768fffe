import { allResources } from '../api/resources.ts';

const moments = ['admit-pod', 'pull-image', 'pod-running'];
const others = ['exec', 'log', 'status', 'token', 'other'];
const known = new Set([
  '*',
  ...moments,
  ...others,
  ...allResources.flatMap(({ singular, plural }) => [
    ...['create', 'dry-create', 'get', 'change', 'delete'].map((verb) => `${verb}-${singular}`),
    ...['list', 'watch'].map((verb) => `${verb}-${plural}`),
  ]),
]);

/** Whether anything can ever be of this kind, as `kindOf` and the moments name it. */
export const isKind = (text: string): boolean => known.has(text);

export const kindsText =
  'create-, dry-create-, get-, change- or delete- with one object ' +
  `(${allResources.map(({ singular }) => singular).join(', ')}), list- or watch- with several (jobs, pods, …), ` +
  [...others, ...moments].join(', ');
