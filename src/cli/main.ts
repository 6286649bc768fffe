import { runCli } from './application.ts';
import { processContext } from './process-context.ts';

const context = processContext(process);
await runCli(process.argv.slice(2), context);
process.exitCode = context.process.exitCode ?? 0;
