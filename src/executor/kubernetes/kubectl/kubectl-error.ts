import { RunnerError } from '../../../base/errors.ts';
import { type Asked, refusalError } from '../../../kube/status-error.ts';

/** The reasons of API answers, as kubectl shows them, and their statuses. */
const statusOf: Readonly<Record<string, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** What kubectl said on standard error when it could not do its work, in this program's own errors. */
export function kubectlError(stderr: string, asked: Asked): RunnerError {
  const said = stderr.trim();
  const server = /Error from server(?: \((\w+)\))?: ([\s\S]*)$/.exec(said);
  if (server) {
    const [, reason = 'InternalError', message = ''] = server;
    const text = JSON.stringify({ status: 'Failure', reason, message });
    return refusalError({ status: statusOf[reason] ?? 500, text, retryAfterMs: undefined }, asked);
  }
  if (
    /You must be logged in|Unauthorized|the server has asked for the client to provide credentials/.test(said)
  ) {
    return refusalError({ status: 401, text: said, retryAfterMs: undefined }, asked);
  }
  if (
    /current-context|context .* does not exist|no configuration has been provided|error loading config|stat .*: no such file/.test(
      said,
    )
  ) {
    return new RunnerError(
      'BadInput',
      `kubectl: ${said}; choose a cluster with --kubeconfig or --context, or try --embedded`,
    );
  }
  return new RunnerError(
    'ConnectionLost',
    `kubectl could not ${asked.action}: ${said || 'it said nothing'}`,
    { retry: true },
  );
}
