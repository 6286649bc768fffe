interface Cookie {
  readonly origin: string;
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Milliseconds since 1970; undefined for as long as the jar lives. */
  readonly expiresAt: number | undefined;
}

const mostCookies = 100;
const longestCookie = 8 * 1024;

/**
 * The cookies of one sign-in. Stricter than a browser's: a cookie goes back to the very origin that set it
 * (`Domain` is not heeded, and the port counts), so that no list of public suffixes is needed.
 */
export class CookieJar {
  #cookies: readonly Cookie[] = [];

  /** Takes in what `url` answered with. */
  store(url: URL, setCookies: readonly string[], now: Date): void {
    for (const header of setCookies) {
      const cookie = parseSetCookie(url, header, now);
      if (cookie === undefined) continue;
      const others = this.#cookies.filter((other) => !isSame(other, cookie));
      const isOver = cookie.expiresAt !== undefined && cookie.expiresAt <= now.getTime();
      this.#cookies = isOver ? others : [...others, cookie].slice(-mostCookies);
    }
  }

  /** The `Cookie` header for a request; undefined where there are none. */
  header(url: URL, now: Date): string | undefined {
    const pairs = this.#live(url.origin, now)
      .filter(({ path }) => pathMatches(url.pathname, path))
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`);
    return pairs.length === 0 ? undefined : pairs.join('; ');
  }

  /** The value of a cookie of an origin, whatever its path. */
  value(origin: string, name: string, now: Date): string | undefined {
    return this.#live(origin, now).findLast((cookie) => cookie.name === name)?.value;
  }

  #live(origin: string, now: Date): Cookie[] {
    return this.#cookies.filter(
      (cookie) =>
        cookie.origin === origin && (cookie.expiresAt === undefined || cookie.expiresAt > now.getTime()),
    );
  }
}

function parseSetCookie(url: URL, header: string, now: Date): Cookie | undefined {
  const [pair = '', ...attributes] = header.split(';').map((part) => part.trim());
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  // What could not stand in a header is not taken.
  if (
    at < 1 ||
    header.length > longestCookie ||
    !/^[\x21-\x7e]+$/.test(name) ||
    !/^[\x20-\x7e]*$/.test(value)
  ) {
    return undefined;
  }
  let path = defaultPath(url.pathname);
  let [maxAge, expires]: (number | undefined)[] = [];
  for (const attribute of attributes) {
    const [key = '', text = ''] = attribute.split(/=(.*)/s).map((part) => part.trim());
    if (/^path$/i.test(key) && text.startsWith('/')) path = text;
    if (/^max-age$/i.test(key) && /^-?\d+$/.test(text)) maxAge = now.getTime() + Number(text) * 1000;
    if (/^expires$/i.test(key)) expires = Date.parse(text);
  }
  const expiresAt = maxAge ?? (Number.isNaN(expires) ? undefined : expires);
  return { origin: url.origin, name, value, path, expiresAt };
}

const isSame = (a: Cookie, b: Cookie): boolean =>
  a.origin === b.origin && a.name === b.name && a.path === b.path;

/** As RFC 6265 has it in 5.1.4. */
function defaultPath(pathname: string): string {
  const last = pathname.lastIndexOf('/');
  return last <= 0 ? '/' : pathname.slice(0, last);
}

function pathMatches(pathname: string, path: string): boolean {
  if (!pathname.startsWith(path)) return false;
  return pathname.length === path.length || path.endsWith('/') || pathname[path.length] === '/';
}
