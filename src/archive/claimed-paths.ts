import { RunnerError } from '../base/errors.ts';
import { parentOf } from './entry-name.ts';
import { shownPath } from './shown-path.ts';

export type ClaimKind = 'file' | 'folder' | 'symlink' | 'skipped';

interface Claim {
  readonly kind: ClaimKind;
  /** The name in the archive that took the path. */
  readonly source: string;
}

/** The names of a million files that are 100 bytes long, and some more. */
const mostNameBytes = 128 * 1024 * 1024;

/**
 * What each path of the destination is taken for by the archive. A path keeps its kind, so that nothing can be
 * put through a link that came before, and its source, so that no output silently covers another.
 */
export class ClaimedPaths {
  private readonly claims = new Map<string, Claim>();
  private nameBytes = 0;

  kindOf(path: string): ClaimKind | undefined {
    return this.claims.get(path)?.kind;
  }

  /** True where the path is new. Throws an OutputsRefused RunnerError at a clash. */
  claim(path: string, kind: ClaimKind, source: string): boolean {
    const before = this.claims.get(path);
    if (before) {
      if (before.kind !== kind) throw clash(path, `it came as ${before.kind} and as ${kind}`);
      if (kind !== 'folder' && before.source !== source) {
        throw clash(path, `${shownPath(before.source)} and ${shownPath(source)} would both be put there`);
      }
      return false;
    }
    this.claimParents(path, source);
    this.hold(path.length + source.length);
    this.claims.set(path, { kind, source });
    return true;
  }

  /** Counts text that has to be held in memory until the end. */
  hold(bytes: number): void {
    this.nameBytes += bytes;
    if (this.nameBytes <= mostNameBytes) return;
    throw new RunnerError(
      'OutputsRefused',
      `the names of the outputs are longer than ${mostNameBytes} bytes together`,
    );
  }

  private claimParents(path: string, source: string): void {
    for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) {
      const kind = this.claims.get(parent)?.kind;
      if (kind === 'folder') return;
      if (kind) throw clash(parent, `it came as ${kind} and as folder`);
      this.hold(parent.length);
      this.claims.set(parent, { kind: 'folder', source });
    }
  }
}

const clash = (path: string, why: string): RunnerError =>
  new RunnerError('OutputsRefused', `two outputs want to be ${shownPath(path)}: ${why}`);
