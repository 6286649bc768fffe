import { badInput } from '../base/errors.ts';

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
export function cpuCount(text: string): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text);
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Bytes, of an amount that `checkMemory` takes. */
export function byteCount(text: string): number {
  const [, count = '', unit = ''] = /^([0-9.]+(?:[eE][0-9]+)?)([A-Za-z]*)$/.exec(text) ?? [];
  return Math.ceil(Number(count) * (units[unit] ?? 1));
}
