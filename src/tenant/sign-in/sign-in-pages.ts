import type { WebAnswer } from '../web/web-client.ts';

/** What is typed into the page. */
interface Attempt {
  readonly username: string;
  readonly password: string;
  readonly emailOtp?: string;
}

/** The page's own road to its server, which differs between versions. */
export interface SignInPages {
  submit(attempt: Attempt, signal: AbortSignal): Promise<WebAnswer>;
  /** Agrees for who was signed in; where the browser would go next. */
  consent(accepted: WebAnswer, signal: AbortSignal): Promise<URL>;
}

export const askedToSignIn = 'the sign-in at the authorization server';
export const askedToConsent = 'the consent at the authorization server';
