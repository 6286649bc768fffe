/** What the embedded cluster does not do, in sentences for a person. */
export const notices: readonly string[] = [
  "The embedded cluster pulls no image: its pods are made of this machine's own programs, whatever image they name.",
  "The embedded cluster shields this machine from mistakes, not from an attacker: its pods share this machine's network, limits of memory, CPU and disk and network policies are not enforced, and each container knows one user only.",
];
