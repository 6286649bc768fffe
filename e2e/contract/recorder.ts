import type { Observer, Place, Waiting } from '../../src/executor/executor.ts';

/** An observer that keeps what it hears. */
export class Recorder implements Observer {
  readonly waits: Waiting[] = [];
  readonly warnings: string[] = [];
  readonly places: Place[] = [];
  readonly traces: string[] = [];
  readonly cancels: string[] = [];

  waiting(waiting: Waiting | null): void {
    if (waiting) this.waits.push(waiting);
  }

  warning(message: string): void {
    this.warnings.push(message);
  }

  leftover(message: string): void {
    this.warnings.push(message);
  }

  place(place: Place): void {
    this.places.push(place);
  }

  cancelled(by: string): number {
    this.cancels.push(by);
    return 60_000;
  }

  trace(message: string): void {
    this.traces.push(message);
  }
}
