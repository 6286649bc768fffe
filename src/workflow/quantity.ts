import { badInput } from '../base/errors.ts';
import { quantity } from '../base/quantity.ts';

const number = String.raw`(?:[0-9]+\.?[0-9]*|\.[0-9]+)`;
const cpuForm = new RegExp(`^${number}(?:m|[eE][0-9]{1,2})?$`);
const memoryForm = new RegExp(`^${number}(?:[KMGTPE]i|[kMGTPE]|[eE][0-9]{1,2})?$`);

/** Throws a BadInput RunnerError for what Kubernetes could not take as a number of processors. */
export function checkCpu(text: string): void {
  if (cpuForm.test(text) && Number.parseFloat(text) > 0) return;
  throw badInput(`${JSON.stringify(text)} is no amount of cpu; write 500m, 0.5 or 2`);
}

/**
 * Throws a BadInput RunnerError for what Kubernetes could not take as a size of memory, and for thousandths of a
 * byte (`512m`), which it would take.
 */
export function checkMemory(text: string): void {
  if (memoryForm.test(text) && Number.parseFloat(text) > 0) return;
  throw badInput(`${JSON.stringify(text)} is no amount of memory; write 512Mi, 2Gi or a number of bytes`);
}

/** Processors, of an amount that `checkCpu` takes. */
export const cpuCount = (text: string): number => quantity(text) ?? Number.NaN;

/** Bytes, of an amount that `checkMemory` takes. */
export const byteCount = (text: string): number => Math.ceil(quantity(text) ?? Number.NaN);
