import { list, textOr } from '../flags/flag-definition.ts';

const node = 'The node (90s, 15m, 2h)';
const drills = 'Drills';

/** The flags of `cluster`, in the order of the help. */
export const clusterFlags = {
  'node-delay': textOr('0s', node, 'TIME', 'how long the node takes to come up'),
  hold: textOr('10s', node, 'TIME', 'how long it stays after its last pod'),
  fault: list(
    drills,
    'FAULT',
    'something that goes wrong: "evict pod-running after=2s", "cut exec after=500ms"',
  ),
} as const;
