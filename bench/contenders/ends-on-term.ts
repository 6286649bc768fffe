/** The command of a container that waits, and ends at once when it is told to. */
export const endsOnTerm: readonly string[] = [
  'sh',
  '-c',
  'mkdir -p /work /outputs; trap "kill \\$!; exit 143" TERM; while :; do sleep 3600 & wait; done',
];
