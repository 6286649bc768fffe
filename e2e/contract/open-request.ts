import { randomUUID } from 'node:crypto';
import type { OpenRequest } from '../../src/executor/executor.ts';

/** A request as a run makes it, with a name of its own and short times. */
export function openRequest(changes: Partial<OpenRequest> = {}): OpenRequest {
  const id = randomUUID();
  return {
    run: { id, name: `contract ${id}`, runner: 'did:plc:contract' },
    image: 'busybox:1.36',
    secretNames: ['TOKEN'],
    limits: { readyMs: 60_000, stepsMs: 600_000, orphanMs: 120_000, graceMs: 2_000 },
    keep: false,
    ...changes,
  };
}
