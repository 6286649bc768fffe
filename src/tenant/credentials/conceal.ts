import type { GivenCredentials } from './account-credentials.ts';

/** Takes the values of credentials out of a text, whoever put them there: a server's words, an address. */
export function concealer(credentials: GivenCredentials): (text: string) => string {
  const { identifier, password, pdsUrl } = credentials;
  const values: readonly (readonly [string | undefined, string])[] = [
    [password, '(the password)'],
    [password === undefined ? undefined : encodeURIComponent(password), '(the password)'],
    [pdsUrl?.href.replace(/\/$/, ''), '(ATP_PDS_URL)'],
    [pdsUrl?.origin, '(ATP_PDS_URL)'],
    [pdsUrl?.host, '(ATP_PDS_URL)'],
    [identifier, '(the handle)'],
  ];
  return (text) => {
    let clean = text;
    for (const [value, name] of values) {
      // shorter ones are parts of words
      if (value !== undefined && value.length >= 4) clean = clean.replaceAll(value, name);
    }
    return clean;
  };
}
