import { z } from 'zod';
import { defaultAudience } from '../auth/tokens.ts';
import { timestamp } from '../store/object.ts';
import type { ApiContext, ApiRequest, ApiResponse } from './context.ts';
import { ApiError, badRequest } from './status.ts';
import type { Target } from './target.ts';

const tokenRequestSchema = z.looseObject({
  spec: z
    .looseObject({
      audiences: z.array(z.string()).nullish(),
      expirationSeconds: z.number().int().nullish(),
    })
    .default({}),
});

const shortestSeconds = 600;
const longestSeconds = 2 ** 32;

const invalidDuration = (name: string, asked: number): ApiError => {
  const field = 'spec.expirationSeconds';
  const limit = asked < shortestSeconds ? 'less than 10 minutes' : 'larger than 2^32 seconds';
  const message = `Invalid value: ${asked}: may not specify a duration ${limit}`;
  return new ApiError(
    422,
    'Invalid',
    `TokenRequest.authentication.k8s.io "${name}" is invalid: ${field}: ${message}`,
    {
      name,
      group: 'authentication.k8s.io',
      kind: 'TokenRequest',
      causes: [{ reason: 'FieldValueInvalid', message, field }],
    },
  );
};

/** Answers POST …/serviceaccounts/NAME/token. */
export function handleToken(
  context: ApiContext,
  { resource, namespace, name }: Target,
  request: ApiRequest,
): ApiResponse {
  const account = context.registry.get(resource, namespace, name);
  const sent = tokenRequestSchema.safeParse(request.body);
  if (!sent.success) throw badRequest(`invalid TokenRequest: ${sent.error.issues[0]?.message ?? ''}`);
  const asked = sent.data.spec.expirationSeconds ?? 3600;
  const seconds = Math.min(asked, context.longestTokenSeconds ?? asked);
  if (asked < shortestSeconds || asked > longestSeconds) throw invalidDuration(name, asked);
  const audiences = sent.data.spec.audiences?.length ? sent.data.spec.audiences : [defaultAudience];
  const { token, expires } = context.tokens.issue(
    { namespace: namespace ?? '', name, uid: account.metadata.uid },
    seconds,
    audiences,
  );
  return {
    code: 201,
    ...(seconds < asked && {
      warning: `requested expiration of ${asked} seconds shortened to ${seconds} seconds`,
    }),
    json: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: timestamp(context.clock.date()) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: null },
      status: { token, expirationTimestamp: timestamp(expires) },
    },
  };
}
