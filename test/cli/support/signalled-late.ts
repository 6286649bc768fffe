import { processContext } from '../../../src/cli/process-context.ts';

// A process of its own for process-context.test.ts: it hears signals no more, and waits at its very end for one.
const { signals } = processContext(process);
const stop = signals.listen(() => {});
stop();
process.once('beforeExit', () => {
  process.stdin.resume(); // the test ends it
  console.log('ready');
});
