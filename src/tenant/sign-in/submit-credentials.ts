import { RunnerError } from '../../base/errors.ts';
import type { AccountCredentials } from '../credentials/account-credentials.ts';
import type { WebAnswer, WebClient } from '../web/web-client.ts';
import { parsedJson, refusalError, saidBy } from '../web/web-refusal.ts';
import { askedToSignIn, type SignInPages } from './sign-in-pages.ts';

/** Asks a person for the code that was sent by e-mail. Rejects where nobody can be asked. */
export type AskCode = (question: string, signal: AbortSignal) => Promise<string>;

export interface Submission {
  readonly pages: SignInPages;
  readonly credentials: AccountCredentials;
  readonly client: WebClient;
  readonly askCode: AskCode;
  readonly signal: AbortSignal;
}

const mostCodes = 3;

/** Signs in on the page, with an e-mailed code where one is wanted. Resolves with the page's answer. */
export async function submitCredentials(submission: Submission): Promise<WebAnswer> {
  const { pages, credentials, client, askCode, signal } = submission;
  const attempt = { username: credentials.identifier, password: credentials.password };
  let answer = await pages.submit(attempt, signal);
  for (let codes = 0; codes < mostCodes && wantsCode(answer, codes > 0); codes += 1) {
    const question =
      codes === 0
        ? 'The account is protected by a code that was just sent by e-mail. Code: '
        : 'That code was not accepted. Code: ';
    const emailOtp = (await askCode(question, signal)).trim();
    answer = await pages.submit({ ...attempt, emailOtp }, signal);
  }
  if (answer.status === 200) return answer;
  throw refused(answer, credentials, client.clock.date());
}

function wantsCode(answer: WebAnswer, asked: boolean): boolean {
  if (answer.status < 400 || answer.status > 401) return false;
  return (
    errorOf(answer) === 'second_authentication_factor_required' ||
    (asked && /\b(code|token|otp)\b/i.test(saidBy(answer) ?? ''))
  );
}

function errorOf(answer: WebAnswer): unknown {
  const json = parsedJson(answer.text);
  return typeof json === 'object' && json !== null && 'error' in json ? json.error : undefined;
}

function refused(answer: WebAnswer, { password }: AccountCredentials, now: Date): RunnerError {
  const said = saidBy(answer) ?? '';
  const { host } = answer.url;
  if (errorOf(answer) === 'second_authentication_factor_required') {
    return new RunnerError('Unauthorized', `${host} did not accept the codes; sign in again for a new one`);
  }
  if (/app password/i.test(said)) {
    return new RunnerError(
      'Unauthorized',
      `${host} takes no app password for a sign-in by OAuth; give the account's own password`,
    );
  }
  if (/invalid (identifier|credentials|username)|wrong password|incorrect/i.test(said)) {
    const looksLikeOne = /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.test(password);
    const cure = looksLikeOne
      ? "it looks like an app password: give the account's own password"
      : 'check both; more attempts may lock the account for a while';
    return new RunnerError(
      'Unauthorized',
      `${host} does not know the handle or refuses the password; ${cure}`,
    );
  }
  return refusalError(answer, askedToSignIn, now);
}
