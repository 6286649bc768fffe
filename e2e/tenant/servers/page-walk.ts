import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Page {
  readonly status: number;
  readonly location: string;
  readonly cookies: readonly string[];
  readonly type: string;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A browser without a screen: keeps cookies by host, and follows nothing by itself. Not by `fetch`, which sends
 * a `sec-fetch-mode` of its own that the pages refuse.
 */
export class PageWalk {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).host)?.get(name);
  }

  async go(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Page> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const call = request(url, { method, headers: { ...headers, ...(cookie && { cookie }) }, agent: false });
    call.end(body);
    const answered: Promise<IncomingMessage[]> = once(call, 'response');
    const [answer] = await answered;
    if (!answer) throw new Error(`no answer from ${host}`);
    const { statusCode: status = 0, headers: got } = answer;
    const cookies = got['set-cookie'] ?? [];
    for (const line of cookies) {
      const [pair = ''] = line.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return {
      status,
      location: got.location ?? '',
      cookies,
      type: got['content-type'] ?? '',
      text: await text(answer),
    };
  }

  /** Sends a form as a page does. */
  form(url: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.go(url, { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
  }

  /** Opens a page as a person does, by a link on a page of `site`. */
  open(url: string, site: 'cross-site' | 'same-origin' | 'none', referer?: string): Promise<Page> {
    return this.go(url, {
      headers: {
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        'sec-fetch-site': site,
        ...(referer && { referer }),
      },
    });
  }

  /** Calls what the script of the page calls. */
  call(page: string, name: string, body: object, headers: Sent['headers'] = {}): Promise<Page> {
    const { origin } = new URL(page);
    return this.go(`${origin}/@atproto/oauth-provider/~api/${name}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-mode': 'same-origin',
        'sec-fetch-dest': 'empty',
        'sec-fetch-site': 'same-origin',
        origin,
        referer: page,
        'x-csrf-token': this.cookie(page, 'csrf-token') ?? '',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }
}
