import { type Ability, able, unable } from './venue.ts';

/** An image that steps are to run in, and what cannot be had with it. */
export interface TestImage {
  readonly name: string;
  /** A step can be ended by SIGINT. */
  readonly interrupts: Ability;
  /** Folders that nobody may write to arrive as such. */
  readonly readOnlyFolders: Ability;
}

const complete = { interrupts: able, readOnlyFolders: able };

export const busybox: TestImage = { ...complete, name: 'busybox:1.36' };
export const debian: TestImage = { ...complete, name: 'realk8s/debian:12' };
export const wholeSleep: TestImage = { ...complete, name: 'realk8s/busybox-whole-sleep:1' };
export const bare: TestImage = {
  ...complete,
  name: 'realk8s/busybox-bare:1',
  interrupts: unable('without setsid a step is a background job, whose shell ignores SIGINT'),
};
export const nonRoot: TestImage = {
  ...complete,
  name: 'realk8s/nonroot:1',
  readOnlyFolders: unable('busybox tar leaves a folder as it is there, unless it runs as root'),
};
