import type { Executor, Place } from '../../src/executor/executor.ts';
import type { Faults } from '../relay/faults.ts';
import type { Rule } from '../relay/rules.ts';
import type { Address } from './address.ts';

/** One executor at one place, put together as the command does: the contract holds on each, as far as it can do what a test needs. */
export interface Venue {
  /** As test names and figures show it: `Kubernetes v1.34.4, api`. */
  readonly name: string;
  /** Whether anything can be run there. */
  readonly usable: Ability;
  readonly can: Abilities;
  /** How `run` is told to run there, and the same by variables. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** By which another process of the suite finds it. */
  readonly address: Address;
  executor(settings?: SandboxSettings): Executor;
  /** A way there that breaks. The folder is for what it writes. */
  openRoad(folder: string): Promise<BreakingRoad>;
  /** What stops a run on that way, at a moment of its life. */
  readonly obstacles: Readonly<Record<Moment, Rule>>;
  /** All that is there under a place's name, as a third party sees it. */
  remains(name: string): Promise<readonly string[]>;
  /** Whether a third party sees it end, by whatever sign. */
  isEnding(place: Place): Promise<boolean>;
  /** How the place came to its end, as a third party sees it; undefined while it has not. */
  end(place: Place): Promise<SeenEnd | undefined>;
  /** Somebody removes the place, whatever runs in it. */
  takeAway(place: Place): Promise<void>;
  /** Removes a place that was kept, as a person would. */
  discard(place: Place): Promise<void>;
  /** Has the place of a runner that died removed by what the venue has for it. */
  collect(place: Place): Promise<void>;
}

export interface BreakingRoad extends AsyncDisposable {
  readonly faults: Faults;
  /** How `run` is told to go that way. */
  readonly arguments: readonly string[];
}

type Moment =
  | 'before the place is made'
  | 'when the place was made, before it was answered'
  | 'in the upload'
  | 'in the download'
  | 'in the cleanup';

export type Transport = 'api' | 'kubectl';

/** What every executor can be told of a place. */
export interface SandboxSettings {
  readonly profile?: 'baseline' | 'restricted';
  readonly pull?: 'always' | 'missing' | 'never';
  readonly memory?: string;
  readonly cpu?: string;
  readonly user?: { readonly uid: number; readonly gid: number | undefined };
}

export interface SeenEnd {
  readonly isFailure: boolean;
  /** Of process 1; null where it is not told any more. */
  readonly exitCode: number | null;
}

/** What a test may count on. Each that is missing is a reason why the test is skipped, as a sentence. */
export interface Abilities {
  /** A container holds what its image holds, and nothing else. */
  readonly image: (name: string) => Ability;
  /**
   * A container's memory limit is enforced; with these settings process 1 is what the kernel ends first once it
   * says that it may be.
   */
  readonly memoryLimit: Ability<SandboxSettings>;
  /** The server tells of a container that the kernel ended for want of memory. */
  readonly endByMemory: Ability;
  /** An image with git in it. */
  readonly git: Ability<string>;
  /** Images are looked for in registries. */
  readonly pulls: Ability;
  /** All that the server has been asked about a place, with bodies, once it was asked to remove it. */
  readonly record: Ability<(place: Place) => Promise<string>>;
  /** A place can be asked for that has to be waited for, and is told of by this word. */
  readonly waiting: Ability<{ readonly arguments: readonly string[]; readonly word: string }>;
}

export type Ability<T = true> = { readonly able: T } | { readonly unable: string };

export const able = { able: true } as const;
export const unable = (reason: string): { readonly unable: string } => ({ unable: reason });
