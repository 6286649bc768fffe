import type { Page } from 'playwright-core';
import type { Account } from '../servers/account.ts';

/** What a person does on the account server's pages; ends on the page that its last click leads to. */
export async function signInByHand(page: Page, { password }: Account): Promise<void> {
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
}
