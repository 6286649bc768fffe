import type { OpenRequest } from '../../src/executor/executor.ts';

export function openRequest(changes: Partial<OpenRequest> = {}): OpenRequest {
  return {
    run: { id: 'a1b2c3', name: 'My build: main!', runner: 'did:plc:abc123' },
    image: 'busybox:1.36',
    secretNames: ['TOKEN', 'PASSWORD'],
    limits: { readyMs: 900_000, stepsMs: 21_600_000, orphanMs: 600_000, graceMs: 5_000 },
    keep: false,
    ...changes,
  };
}
