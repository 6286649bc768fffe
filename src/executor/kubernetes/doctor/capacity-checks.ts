import { z } from 'zod';
import { asRunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { listOf } from '../objects.ts';
import { type Check, passed, skipped, warned } from './check.ts';
import { fixOf } from './error-fix.ts';

const amounts = z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).optional();

const quotaSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z.object({ hard: amounts, used: amounts }).optional(),
});
export type Quota = z.output<typeof quotaSchema>;

const nodeSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ unschedulable: z.boolean().optional() }).optional(),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional() })
    .optional(),
});
export type NodeObject = z.output<typeof nodeSchema>;

/** How much room there is, where we may look. */
export const checkCapacity = (api: KubeApi, signal: AbortSignal): Promise<readonly Check[]> =>
  Promise.all([
    looked(
      'quota',
      api,
      `/api/v1/namespaces/${api.namespace}/resourcequotas`,
      quotaSchema,
      quotaCheck,
      signal,
    ),
    looked('nodes', api, '/api/v1/nodes', nodeSchema, nodesCheck, signal),
  ]);

async function looked<T>(
  name: string,
  api: KubeApi,
  path: string,
  schema: z.ZodType<T>,
  judge: (items: readonly T[]) => Check,
  signal: AbortSignal,
): Promise<Check> {
  try {
    const { items } = await api.request({ method: 'GET', path, signal }, listOf(schema));
    return judge(items ?? []);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asRunnerError(thrown);
    if (error.code === 'Forbidden') return skipped(name, 'not permitted, skipped');
    return warned(name, error.message, fixOf(error));
  }
}

/** Pure. */
export function quotaCheck(quotas: readonly Quota[]): Check {
  if (quotas.length === 0) return passed('quota', 'none in this namespace');
  const parts = quotas.flatMap(({ metadata, status }) =>
    Object.entries(status?.hard ?? {}).map(([resource, hard]) => {
      const used = status?.used?.[resource] ?? '0';
      const isCounted = /^\d+$/.test(hard) && /^\d+$/.test(used);
      return {
        text: `${metadata.name}: ${resource} ${used} of ${hard}`,
        isFull: used === hard || (isCounted && Number(used) >= Number(hard)),
      };
    }),
  );
  const full = parts.filter(({ isFull }) => isFull);
  if (full.length === 0) return passed('quota', parts.map(({ text }) => text).join('; ') || 'no limits');
  return warned(
    'quota',
    `used up: ${full.map(({ text }) => text).join('; ')}`,
    'a run may have to wait for other pods to end; or have the quota raised',
  );
}

/** Pure. Without any node, an autoscaler has to bring one; whether there is one cannot be seen. */
export function nodesCheck(nodes: readonly NodeObject[]): Check {
  const isReady = ({ spec, status }: NodeObject): boolean =>
    spec?.unschedulable !== true &&
    (status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false);
  const ready = nodes.filter(isReady).length;
  const detail = `${ready} of ${nodes.length} ready`;
  if (ready > 0) return passed('nodes', detail);
  return warned('nodes', `${detail}; a run waits until an autoscaler brings one`, 'see kubectl get nodes');
}
