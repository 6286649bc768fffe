import { describe } from 'vitest';
import { placeContract } from '../contract/contract.ts';
import { containerContract } from './container.ts';
import { engineAttachingContract } from './engine-attaching.ts';
import { engineCommandsContract } from './engine-commands.ts';
import { onEngine } from './on-engine.ts';

await onEngine('docker', (venue, engine) => {
  placeContract(venue);
  describe('the container', () => containerContract(venue, engine));
  describe('attaching', () => engineAttachingContract(venue, engine));
  describe('ls, cancel and prune', () => engineCommandsContract(venue, engine));
});
