import { InvalidRequestError, SecondAuthenticationFactorRequiredError } from '@atproto/oauth-provider';
import type { PDS } from '@atproto/pds';

/**
 * From now on the sign-in pages want a code as well as the password. The reference server sends none, the hosted
 * one does: what is thrown here is what the provider's own pages know how to tell of.
 */
export function wantEmailCode({ ctx }: PDS, code: string): void {
  const manager = ctx.oauthProvider?.accountManager;
  if (!manager) throw new Error('the account server has no sign-in pages');
  const byPassword = manager.authenticateAccount.bind(manager);
  manager.authenticateAccount = async (device, metadata, { emailOtp, ...data }) => {
    const account = await byPassword(device, metadata, data);
    if (emailOtp === undefined) throw new SecondAuthenticationFactorRequiredError('emailOtp', 'a***@e***');
    if (emailOtp !== code) throw new InvalidRequestError('Token is invalid');
    return account;
  };
}
