/** Hands on the first hundred warnings and counts the rest, as their number is the sender's to choose. */
export class BoundedWarnings {
  private readonly warn: (message: string) => void;
  private count = 0;

  constructor(warn: (message: string) => void) {
    this.warn = warn;
  }

  add(message: string): void {
    this.count += 1;
    if (this.count <= limit) this.warn(message);
  }

  /** Tells how many were not handed on. */
  finish(): void {
    if (this.count > limit) this.warn(`and ${this.count - limit} more warnings about the outputs`);
  }
}

const limit = 100;
