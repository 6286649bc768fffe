import { z } from 'zod';
import { addressSchema } from './address.ts';
import { executorAt } from './executor-at.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';

const settingsSchema = z.object({ address: addressSchema, orphanMs: z.number() });

/** Opens a sandbox, starts a step, prints the place, and waits to be killed. */
async function run(given: string): Promise<void> {
  const { address, orphanMs } = settingsSchema.parse(JSON.parse(given));
  const request = openRequest();
  const sandbox = await executorAt(address).open(
    { ...request, limits: { ...request.limits, orphanMs } },
    new Recorder(),
    AbortSignal.timeout(60_000),
  );
  await new Session(sandbox).run('echo ready; sleep 600', {
    onOutput: () => console.log(JSON.stringify(sandbox.place)),
  });
}

// Not awaited here: whoever imports this can then tidy up behind it before it is killed.
run(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
