import type { Page } from 'playwright-core';
import type { Account } from '../servers/account.ts';

/** What a person does from the gateway's form on; the last click leads back to the gateway. */
export async function signInByHand(page: Page, { handle, password }: Account): Promise<void> {
  await page.getByRole('textbox', { name: 'Handle' }).fill(handle);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
}
