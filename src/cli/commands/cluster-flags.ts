import { list, text } from '../flags/flag-definition.ts';

const node = 'The node (90s, 15m, 2h)';
const drills = 'Drills';

/** The flags of `cluster`, in the order of the help. */
export const clusterFlags = {
  'node-delay': text(node, 'TIME', 'how long the node takes to come up', '0s'),
  hold: text(node, 'TIME', 'how long it stays after its last pod', '0s'),
  fault: list(drills, 'FAULT', 'something that goes wrong'),
} as const;
