import { sandboxContract } from '../contract/contract.ts';
import { busybox, debian, nonRoot } from '../contract/images.ts';
import { onEngine } from './on-engine.ts';

await onEngine('docker', (venue) => {
  for (const image of [busybox, debian, nonRoot]) sandboxContract(venue, image);
});
