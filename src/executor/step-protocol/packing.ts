/** How an archive travels. */
export type Packing = 'gzip' | 'none';

/** `auto`: by the rate of the link, once a large upload has shown it; until then by where the other end is. */
export type Compression = Packing | 'auto';
