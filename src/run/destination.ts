import type { Writable } from 'node:stream';

/** Where bytes go: a file, made with its parent folders, or a stream that somebody else owns and ends. */
export type Destination =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'stream';
      readonly stream: Writable;
      /** As messages name it: "standard output". */
      readonly name: string;
    };

export const nameOf = (destination: Destination): string =>
  destination.kind === 'file' ? destination.path : destination.name;
