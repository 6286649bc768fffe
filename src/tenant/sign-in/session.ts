/** What a sign-in gives. The cookie is a credential. */
export interface Session {
  readonly gateway: string;
  readonly cookie: { readonly name: string; readonly value: string };
  readonly did: string;
  /** Null where the gateway does not say. */
  readonly expiresAt: Date | null;
}
