import type { Executor } from '../../src/executor/executor.ts';
import type { Address } from './address.ts';
import { dockerExecutor } from './docker-executor.ts';
import { kubernetesExecutor } from './kubernetes-executor.ts';
import type { SandboxSettings } from './venue.ts';

/** The product's executor for what is at the address. */
export const executorAt = (address: Address, settings: SandboxSettings = {}): Executor =>
  address.kind === 'docker'
    ? dockerExecutor(address.url, settings)
    : kubernetesExecutor({ ...address, ...settings });
