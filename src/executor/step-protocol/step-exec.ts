import type { ExecSession } from '../../base/exec-session.ts';
import { Tail } from './lines.ts';
import { overLine } from './step-mark.ts';

/** What a step left running may write behind the mark, before its exec is given up. */
const longestRest = 64 * 1024;

/** An open exec of the step program, which serves one step after another. */
export class StepExec {
  readonly session: ExecSession;
  readonly stderr: Tail;
  /** Called for each sign of life. */
  onSign: () => void = () => {};
  readonly #pieces: AsyncIterator<Buffer>;

  constructor(session: ExecSession) {
    this.session = session;
    this.stderr = new Tail(session.stderr, 4096, () => this.onSign());
    this.#pieces = session.stdout.iterator({ destroyOnReturn: false });
    session.stdin.on('error', () => {}); // what does not come back tells
  }

  get stands(): boolean {
    const { stdin, stdout } = this.session;
    return !stdin.destroyed && !stdout.destroyed && !stdout.readableEnded;
  }

  write(header: string, body: Buffer): void {
    this.session.stdin.write(header);
    if (body.length > 0) this.session.stdin.write(body);
  }

  /** The next bytes of standard output; undefined at its end. */
  async read(): Promise<Buffer | undefined> {
    const { done, value } = await this.#pieces.next();
    return done ? undefined : value;
  }

  /** Resolves to whether the program is ready for another step; `rest` came behind the mark of the one before. */
  async isOver(nonce: string, rest: Buffer): Promise<boolean> {
    const line = overLine(nonce);
    let bytes = rest;
    while (bytes.length < longestRest) {
      const at = bytes.indexOf(line);
      if (at >= 0) return at + line.length === bytes.length;
      const piece = await this.read();
      if (!piece) return false;
      bytes = Buffer.concat([bytes, piece]);
    }
    return false;
  }

  close(): void {
    this.session.close();
  }
}
