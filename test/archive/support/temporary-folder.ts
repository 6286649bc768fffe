import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
  /** A path in it. */
  at(...parts: readonly string[]): string;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'knotless-archive-'));
  return {
    path,
    at: (...parts) => join(path, ...parts),
    [Symbol.dispose]: () => {
      // Folders that were made read-only on purpose hold their content for all but root.
      execFileSync('chmod', ['-R', 'u+rwX', path]);
      rmSync(path, { recursive: true });
    },
  };
}
