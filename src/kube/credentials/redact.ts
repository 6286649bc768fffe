import type { Credential } from './credential.ts';

const looksLikeCredential = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, // a JSON web token
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /(?<=\b\w*(?:token|password|secret|api_?key)"?\s*[:=]\s*"?)[^\s",;]{6,}/gi,
];

/** Text from elsewhere (a plugin, a server) without the credentials that it may repeat. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, '***');
  }
  for (const pattern of looksLikeCredential) clean = clean.replace(pattern, '***');
  return clean;
}

/** The strings of a credential that must not be seen anywhere. */
export function secretsOf(credential: Credential): readonly string[] {
  const value = credential.authorization?.split(' ')[1];
  if (value === undefined) return [];
  const password = credential.authorization?.startsWith('Basic ')
    ? [Buffer.from(value, 'base64').toString().split(':').slice(1).join(':')]
    : [];
  return [value, ...password];
}
