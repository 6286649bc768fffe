import { randomBytes } from 'node:crypto';

export interface Owner {
  readonly did: string;
  readonly handle: string;
}

export interface Session extends Owner {
  readonly expiresAt: Date;
}

/** Who is signed in. What is in the cookie is known to nobody else. */
export class Sessions {
  readonly #lifeMs: number;
  readonly #all = new Map<string, Session>();

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  open(owner: Owner): { readonly cookie: string; readonly session: Session } {
    const cookie = randomBytes(32).toString('base64url');
    const session = { ...owner, expiresAt: new Date(Date.now() + this.#lifeMs) };
    this.#all.set(cookie, session);
    return { cookie, session };
  }

  of(cookie: string | undefined): Session | undefined {
    const session = cookie === undefined ? undefined : this.#all.get(cookie);
    return session && session.expiresAt.getTime() > Date.now() ? session : undefined;
  }

  cookies(): readonly string[] {
    return [...this.#all.keys()];
  }

  close(cookie: string): void {
    this.#all.delete(cookie);
  }

  closeAll(): void {
    this.#all.clear();
  }
}
