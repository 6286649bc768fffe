import type { EngineView } from './engine-view.ts';

/** A container engine of a test's own. Nothing of it is left when it is disposed of. */
export interface Engine extends AsyncDisposable {
  /** As test names show it: `Docker 20.10.24`. */
  readonly name: string;
  /** `unix://…` */
  readonly url: string;
  /** What is in it, as a third party sees it: by a client that is not the product's. */
  readonly view: EngineView;
  /** Where it writes down what it is asked; undefined where it writes no bodies. */
  readonly record: string | undefined;
  /** Whether it tells of a container that the kernel ended for want of memory. */
  readonly tellsOfMemory: boolean;
  /** Its containers end with it. */
  readonly takesContainersAlong: boolean;
  /** Ends it and starts it anew, with what it holds. */
  restart(): Promise<void>;
}
