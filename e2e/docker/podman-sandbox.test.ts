import { sandboxContract } from '../contract/contract.ts';
import { busybox } from '../contract/images.ts';
import { onEngine } from './on-engine.ts';

await onEngine('podman', (venue) => sandboxContract(venue, busybox));
