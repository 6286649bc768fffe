import { badInput } from '../../base/errors.ts';
import { type GatewayProfile, profileSchema } from './profile-schema.ts';

/** The text of a profile file; `{}` is the profile of the defaults. Throws BadInput that names the place. */
export function parseProfile(text: string, file: string): GatewayProfile {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw badInput(`the gateway profile ${file} is no JSON; see docs/tenant.md for one`, error);
  }
  const parsed = profileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.map(String).join('.') || 'its top';
  throw badInput(`the gateway profile ${file} is wrong at ${place}: ${issue?.message ?? 'unreadable'}`);
}

export const defaultProfile = (): GatewayProfile => profileSchema.parse({});
