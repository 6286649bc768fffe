import { placeContract } from '../contract/contract.ts';
import { onEngine } from './on-engine.ts';

await onEngine('docker', placeContract);
