import { html } from 'hono/html';

/** A page that asks whose session it is to be, and says who else gets it; what it was asked with goes on. */
export function signInForm(query: Readonly<Record<string, string>>): ReturnType<typeof html> {
  const { handle = '', ...others } = query;
  const program = others.return_to && html`<p>The session is for the program at ${others.return_to}.</p>`;
  const hidden = Object.entries(others).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<!doctype html>
<title>Sign in</title>
<h1>Sign in</h1>
${program}
<form method="post" action="/auth/atproto/login">
  <label>Handle <input name="handle" value="${handle}"></label>
  ${hidden}
  <button>Continue</button>
</form>`;
}
