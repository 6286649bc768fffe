import { sandboxContract } from '../contract/contract.ts';
import { bare, busybox, debian, nonRoot, wholeSleep } from '../contract/images.ts';
import { onEngine } from './on-engine.ts';

await onEngine('docker', (venue) => {
  for (const image of [busybox, debian, wholeSleep, bare, nonRoot]) sandboxContract(venue, image);
});
