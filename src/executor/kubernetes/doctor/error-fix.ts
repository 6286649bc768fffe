import type { RunnerError } from '../../../base/errors.ts';

/** What to try when a request failed with this. */
export function fixOf(error: RunnerError): string | null {
  switch (error.code) {
    case 'Unauthorized':
      return 'sign in again, or get a new kubeconfig';
    case 'ConnectionLost':
      return 'see whether the server is up and this machine may reach it: kubectl cluster-info';
    case 'Throttled':
      return 'try again a little later';
    case 'QuotaExceeded':
      return 'wait for other pods to end, ask for less with --cpu and --memory, or have the quota raised';
    default:
      return null;
  }
}
