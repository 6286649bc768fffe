/** Where a cluster is and how it is known: everything of the way there but who asks. */
export interface ClusterTarget {
  /** Without credentials; may have a path. */
  readonly server: URL;
  readonly trust: Trust;
  /** The name that the certificate must be for, where it is not the server's host. */
  readonly serverName: string | undefined;
  readonly proxy: URL | null;
}

export interface Trust {
  /** False only where the kubeconfig says `insecure-skip-tls-verify`. */
  readonly verify: boolean;
  /** PEM; undefined for Node's own roots. */
  readonly authorities: readonly string[] | undefined;
  /** What was trusted, as messages name it. */
  readonly name: string;
  /** What to do where a certificate was not accepted, if the kubeconfig is not where to do it. */
  readonly cure?: string;
}

/** A server as messages name it. */
export function serverName(target: ClusterTarget): string {
  return target.server.href.replace(/\/$/, '');
}
