/** What the caller may say of the container. */
export interface ContainerSettings {
  /** When to ask the registry for the image. */
  readonly pull: 'always' | 'missing' | 'never';
  /** Processors, as many or as much of one as the container may take. */
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly user: { readonly uid: number; readonly gid: number | undefined } | undefined;
  readonly profile: 'baseline' | 'restricted';
  readonly network: 'open' | 'isolated' | 'none';
}

export const defaultContainerSettings: ContainerSettings = {
  pull: 'missing',
  cpus: undefined,
  memoryBytes: undefined,
  user: undefined,
  profile: 'baseline',
  network: 'isolated',
};
