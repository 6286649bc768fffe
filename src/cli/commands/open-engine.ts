import { connectToEngine, type Engine } from '../../engine/connect-to-engine.ts';
import { findEngine } from '../../engine/find-engine.ts';
import { programName } from '../program-name.ts';
import { readVersion } from '../version.ts';
import type { ExecutorRequest } from './executor-request.ts';

/** The engine at this URL, or the one that the docker CLI would find. */
export async function openEngine(
  { context, clock, trace }: Pick<ExecutorRequest, 'context' | 'clock' | 'trace'>,
  engine: string | undefined,
  signal?: AbortSignal,
): Promise<Engine> {
  const { process, homeFolder } = context;
  const addresses = await findEngine({ environment: process.env, homeFolder, engine });
  const userAgent = `${programName}/${await readVersion()}`;
  return await connectToEngine(addresses, { clock, userAgent, trace }, signal);
}
