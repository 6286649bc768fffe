import { HTTPException } from 'hono/http-exception';

type Status = 400 | 401 | 404 | 409 | 502;

/** An answer that says no: `{error, message}`, and what else there is to know. */
export const refusal = (status: Status, error: string, message: string, more: object = {}): HTTPException =>
  new HTTPException(status, { res: Response.json({ error, message, ...more }, { status }) });
