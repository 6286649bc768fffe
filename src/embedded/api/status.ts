import type { Resource } from './resources.ts';
import { qualifiedName } from './resources.ts';

interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The body of a Status object, as the real API words it. */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** A refusal: what the client gets as a Status object. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  get body(): StatusBody {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

const detailsOf = (resource: Resource, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(resource.group !== '' && { group: resource.group }),
  kind: resource.plural,
});

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');
export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);
export const pageNotFound = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource');
export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
export const gone = (version: number, oldest: number): ApiError =>
  new ApiError(410, 'Expired', `too old resource version: ${version} (${oldest})`);
export const internalError = (message: string): ApiError =>
  new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
export const unsupportedMedia = (message: string): ApiError =>
  new ApiError(415, 'UnsupportedMediaType', message);

export const notFound = (resource: Resource, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualifiedName(resource)} "${name}" not found`, detailsOf(resource, name));

export const alreadyExists = (resource: Resource, name: string): ApiError =>
  new ApiError(
    409,
    'AlreadyExists',
    `${qualifiedName(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );

export const conflict = (resource: Resource, name: string, message: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedName(resource)} "${name}": ${message}`,
    detailsOf(resource, name),
  );

/** A broken precondition of a delete; unlike other conflicts it names the kind. */
export const preconditionFailed = (resource: Resource, name: string, message: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resource.kind}${resource.group && `.${resource.group}`} "${name}": ${message}`,
    { name, ...(resource.group !== '' && { group: resource.group }), kind: resource.kind },
  );

export const forbidden = (resource: Resource, name: string, why: string): ApiError =>
  new ApiError(
    403,
    'Forbidden',
    `${qualifiedName(resource)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`,
    detailsOf(resource, name),
  );

/** One fault of a sent object: where, and what is wrong in the API's own words. */
export interface FieldFault {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden';
  readonly message: string;
}

export const invalid = (resource: Resource, name: string, faults: readonly FieldFault[]): ApiError => {
  const texts = faults.map((fault) => `${fault.field}: ${fault.message}`);
  const kind = resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`;
  return new ApiError(
    422,
    'Invalid',
    `${kind} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    {
      name,
      ...(resource.group !== '' && { group: resource.group }),
      kind: resource.kind,
      causes: faults.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  );
};
