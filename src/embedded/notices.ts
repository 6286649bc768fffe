/** What the embedded cluster does not do, in sentences for a person. */
export const notices: readonly string[] = [
  "No image is pulled: pods are made of this machine's own programs, whatever image they name.",
  "Pods share this machine's network; network policies are stored, not enforced.",
  'No limit of memory or CPU is enforced, and no size limit of a volume on the disk.',
  'Each container knows one user only, its own: what it makes belongs to whoever runs the cluster, and giving files to other users fails.',
  'It shields this machine from mistakes, not from an attacker: run only what you would run here anyway.',
];
