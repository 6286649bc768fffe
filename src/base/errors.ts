/**
 * The codes of everything that can end a run, a step or a command badly. They are published: `reason.code`
 * of result.json is one of them.
 */
export const reasonCodes = [
  // the workflow's own doing
  'StepFailed',
  'StepTimeout',
  'RunTimeout',
  'Cancelled',
  'OOMKilled',
  // the caller's input, found before anything was created
  'BadInput',
  // the place where the run was to run
  'ReadyTimeout',
  'Unschedulable',
  'ImagePull',
  'InvalidImage',
  'UnsuitableImage',
  'QuotaExceeded',
  'AdmissionRejected',
  'ContainerConfig',
  'AlreadyExists',
  'Evicted',
  'PodDeleted',
  'PodFailed',
  'NodeLost',
  'DeadlineExceeded',
  // the way there
  'ConnectionLost',
  'Unauthorized',
  'Forbidden',
  'ApiRefused',
  'NotFound',
  'Conflict',
  'Throttled',
  'ProtocolViolation',
  // what comes and goes
  'UploadFailed',
  'LogIncomplete',
  'OutputsIncomplete',
  'OutputsRefused',
  'LocalWriteFailed',
  'CleanupFailed',
  'Internal',
] as const;

export type ReasonCode = (typeof reasonCodes)[number];

export interface RunnerErrorOptions {
  readonly cause?: unknown;
  /** Whether the same call, made again a little later, may well succeed. */
  readonly retry?: boolean;
  /** How long the other side asked us to wait before that, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * The one error of this program. The message is for a person: what happened, why, and what to do about it.
 * It never holds a credential or a secret's value.
 */
export class RunnerError extends Error {
  override readonly name = 'RunnerError';
  readonly code: ReasonCode;
  readonly retry: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: ReasonCode, message: string, options: RunnerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The error of bad usage or bad input: nothing was created, exit code 2. */
export const badInput = (message: string, cause?: unknown): RunnerError =>
  new RunnerError('BadInput', message, cause === undefined ? {} : { cause });

/** What anything thrown says of itself, in one line at most `limit` characters long. */
export function messageOf(thrown: unknown, limit = 2000): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** Any thrown value as a RunnerError; one that is none already becomes `Internal`. */
export function asRunnerError(thrown: unknown, code: ReasonCode = 'Internal'): RunnerError {
  return thrown instanceof RunnerError ? thrown : new RunnerError(code, messageOf(thrown), { cause: thrown });
}
