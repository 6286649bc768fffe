import { RunnerError } from '../../base/errors.ts';
import type { ExecutorRequest, OpenExecutor } from './open-executor.ts';

export async function embeddedExecutor(request: ExecutorRequest): Promise<OpenExecutor> {
  throw new RunnerError('Internal', `not built yet: ${request.plan.image}`);
}
