import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';
import type { Venue } from './venue.ts';

/** A secret is in nothing that the server was asked or keeps: not in a URL, not in a body. */
export function secrecyContract(venue: Venue): void {
  itIfAble(venue.can.record, 'tells the server no secret', async (recordOf) => {
    const secret = `not-for-the-server-${randomUUID()}`;
    const observer = new Recorder();
    const request = openRequest();
    const sandbox = await venue.executor().open(request, observer, AbortSignal.timeout(60_000));
    try {
      await new Session(sandbox).output('[ -n "$TOKEN" ]', { secrets: { TOKEN: secret } });
    } finally {
      await sandbox.close(AbortSignal.timeout(30_000));
    }
    const record = await recordOf(sandbox.place);
    expect(record).toMatch(/\/exec\b/);
    expect(record).toContain(request.run.name); // bodies are in it
    expect(record).not.toContain(secret);
    expect(observer.traces.join('\n')).not.toContain(secret);
  });
}
