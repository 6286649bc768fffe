import type { Executor } from '../../src/executor/executor.ts';
import type { Address } from './address.ts';
import { kubernetesExecutor } from './kubernetes-executor.ts';
import type { SandboxSettings } from './venue.ts';

/** The product's executor for what is at the address. */
export const executorAt = (address: Address, settings: SandboxSettings = {}): Executor =>
  kubernetesExecutor({ ...address, ...settings });
