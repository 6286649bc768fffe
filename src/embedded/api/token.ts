import { z } from 'zod';
import { defaultAudience } from '../auth/tokens.ts';
import { timestamp } from '../store/object.ts';
import type { ApiContext, ApiRequest, ApiResponse } from './context.ts';
import { badRequest } from './status.ts';
import type { Target } from './target.ts';

const tokenRequestSchema = z.looseObject({
  spec: z
    .looseObject({
      audiences: z.array(z.string()).nullish(),
      expirationSeconds: z.number().int().min(600).nullish(),
    })
    .default({}),
});

/** Answers POST …/serviceaccounts/NAME/token. */
export function handleToken(
  context: ApiContext,
  { resource, namespace, name }: Target,
  request: ApiRequest,
): ApiResponse {
  const account = context.registry.get(resource, namespace, name);
  const sent = tokenRequestSchema.safeParse(request.body);
  if (!sent.success) throw badRequest(`invalid TokenRequest: ${sent.error.issues[0]?.message ?? ''}`);
  const seconds = sent.data.spec.expirationSeconds ?? 3600;
  const audiences = sent.data.spec.audiences?.length ? sent.data.spec.audiences : [defaultAudience];
  const { token, expires } = context.tokens.issue(
    { namespace: namespace ?? '', name, uid: account.metadata.uid },
    seconds,
    audiences,
  );
  return {
    code: 201,
    json: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: timestamp(context.clock.date()) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: null },
      status: { token, expirationTimestamp: timestamp(expires) },
    },
  };
}
