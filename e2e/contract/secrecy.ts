import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Cluster, Transport } from './cluster.ts';
import { eventually } from './eventually.ts';
import { itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';

/** A secret is in nothing that the API server was asked or keeps: not in a URL, not in a body. */
export function secrecyContract(cluster: Cluster, transport: Transport): void {
  itIfAble(cluster.can.auditLog, 'tells the API server no secret', async (auditLog) => {
    const secret = `not-for-the-server-${randomUUID()}`;
    const observer = new Recorder();
    const sandbox = await cluster
      .executor({ transport })
      .open(openRequest(), observer, AbortSignal.timeout(60_000));
    const name = sandbox.place.kind === 'job' ? sandbox.place.name : '';
    try {
      await new Session(sandbox).output('[ -n "$TOKEN" ]', { secrets: { TOKEN: secret } });
    } finally {
      await sandbox.close(AbortSignal.timeout(30_000));
    }
    const log = await eventually('the deletion is in the audit log', async () => {
      const text = await readFile(auditLog, 'utf8');
      const lines = text.split('\n').filter((line) => line.includes(name));
      return lines.some((line) => line.includes('"verb":"delete"')) ? text : undefined;
    });
    expect(log).toContain('/exec?');
    expect(log).toContain('"podReplacementPolicy"'); // bodies are in it
    expect(log).not.toContain(secret);
    expect(observer.traces.join('\n')).not.toContain(secret);
  });
}
