import { systemClock } from '../../src/base/clock.ts';
import { connectToEngine, type Engine } from '../../src/engine/connect-to-engine.ts';
import { findEngine } from '../../src/engine/find-engine.ts';
import { defaultContainerSettings } from '../../src/executor/docker/container-settings.ts';
import { createDockerExecutor } from '../../src/executor/docker/docker-executor.ts';
import type { Executor } from '../../src/executor/executor.ts';
import { byteCount, cpuCount } from '../../src/workflow/quantity.ts';
import type { SandboxSettings } from './venue.ts';

export interface EngineSettings extends SandboxSettings {
  readonly network?: 'open' | 'isolated' | 'none';
}

/** The product's executor on an engine that has answered, put together as the command does. */
export function dockerExecutorOn(
  engine: Engine,
  { pull, profile, user, memory, cpu, network }: EngineSettings,
): Executor {
  const { pull: usualPull, profile: usualProfile, network: usualNetwork } = defaultContainerSettings;
  return createDockerExecutor({
    engine,
    container: {
      pull: pull ?? usualPull,
      profile: profile ?? usualProfile,
      network: network ?? usualNetwork,
      user,
      memoryBytes: memory === undefined ? undefined : byteCount(memory),
      cpus: cpu === undefined ? undefined : cpuCount(cpu),
    },
    compress: 'none',
    signIn: async () => undefined,
    clock: systemClock(),
  });
}

/** To the engine at this URL, and no other. */
export async function engineAt(url: string, trace: (message: string) => void): Promise<Engine> {
  const addresses = await findEngine({ environment: {}, homeFolder: '/', engine: url });
  return await connectToEngine(addresses, { clock: systemClock(), userAgent: 'contract', trace });
}

/** An executor that connects when it is used. */
export function dockerExecutor(url: string, settings: EngineSettings): Executor {
  return {
    async open(request, observer, signal) {
      const engine = await engineAt(url, (message) => observer.trace(message));
      return dockerExecutorOn(engine, settings).open(request, observer, signal);
    },
    async adopt(request, observer, signal) {
      const engine = await engineAt(url, (message) => observer.trace(message));
      return dockerExecutorOn(engine, settings).adopt(request, observer, signal);
    },
  };
}
