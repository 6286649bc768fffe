/** How an archive travels. */
export type Packing = 'gzip' | 'none';
