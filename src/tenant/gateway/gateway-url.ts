import type { GatewayProfile } from '../profile/profile-schema.ts';

/** A path of the profile as an address; `name` goes in for `{name}`. */
export function gatewayUrl(profile: GatewayProfile, path: string, name = ''): URL {
  return new URL(profile.gateway + path.replaceAll('{name}', encodeURIComponent(name)));
}
