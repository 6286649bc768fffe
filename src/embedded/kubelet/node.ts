import type { FifoPool } from './fifo-pool.ts';
import type { Programs } from './programs.ts';
import type { RootParts } from './root-spec.ts';

/** What containers are made of on this machine. */
export interface Node {
  readonly name: string;
  /** Where pods' folders are. */
  readonly folder: string;
  readonly programs: Programs;
  readonly pipes: FifoPool;
  readonly host: RootParts;
  readonly settings: ReadonlyMap<string, Buffer>;
  /** A folder to be added to PATH in pods, or empty. */
  readonly extraPath: string;
  date(): Date;
}
