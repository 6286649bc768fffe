import { randomBytes } from 'node:crypto';
import { internalError } from './status.ts';

/** The frame's text that tells how a program ended. */
export const exitStatus = (exitCode: number): object =>
  exitCode === 0
    ? { metadata: {}, status: 'Success' }
    : {
        metadata: {},
        status: 'Failure',
        message: `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
      };

const failure = (message: string): object => {
  const { kind: _, apiVersion: __, ...status } = internalError(message).body;
  return status;
};

/** A container that does not run (any more). */
export const containerMissing = (name: string): object =>
  failure(`unable to upgrade connection: container not found ("${name}")`);

/** A program that could not be started. A v5 answer passes one more hand, which wraps it once more. */
export function startFailure(why: string, protocol: string): object {
  const message =
    'error executing command in container: failed to exec in container: failed to start exec ' +
    `"${randomBytes(32).toString('hex')}": OCI runtime exec failed: exec failed: ${why}: unknown`;
  return failure(protocol.startsWith('v5') ? `Internal error occurred: ${message}` : message);
}
