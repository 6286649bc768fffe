import { z } from 'zod';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import { oneLine } from '../web/web-refusal.ts';
import { fieldOf, textAt } from './field.ts';

interface ClusterCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string | null;
  readonly message: string | null;
}

/** A cluster as the gateway tells of it. Its texts are another machine's. */
export interface TenantCluster {
  readonly name: string;
  readonly account: string | null;
  readonly phase: string;
  readonly url: string | null;
  /** Null: there is no node. `unlimited`, or when the node ends. */
  readonly node: string | null;
  readonly conditions: readonly ClusterCondition[];
}

const text = z
  .string()
  .nullish()
  .transform((value) => (value ? oneLine(value) : null));
const conditionsSchema = z
  .array(z.object({ type: z.string().transform(oneLine), status: z.string(), reason: text, message: text }))
  .catch([]);

/** Reads a cluster object by the field names of the profile; what is not there is null, or an empty phase. */
export function clusterOf(object: unknown, profile: GatewayProfile, asked: string): TenantCluster {
  const { cluster } = profile;
  const at = (field: string): string | null => textAt(object, field) ?? null;
  return {
    name: oneLine(at(cluster.name) ?? asked),
    account: at(cluster.account),
    phase: oneLine(at(cluster.phase) ?? ''),
    url: at(cluster.url),
    node: nodeOf(fieldOf(object, cluster.nodeExpiry)),
    conditions: conditionsSchema.parse(fieldOf(object, cluster.conditions)),
  };
}

function nodeOf(expiry: unknown): string | null {
  if (expiry === undefined || expiry === null || expiry === '') return null;
  if (expiry === 0 || expiry === '0') return 'unlimited';
  return oneLine(typeof expiry === 'number' ? new Date(expiry * 1000).toISOString() : String(expiry));
}
