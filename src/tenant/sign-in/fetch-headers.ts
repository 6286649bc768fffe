/** What a browser tells of how it came to a page; authorization servers insist on it. */
export const navigation = (site: 'none' | 'same-origin' | 'cross-site'): Record<string, string> => ({
  Accept: 'text/html',
  'Accept-Language': 'en',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Site': site,
});

/** A script of the page itself, speaking to its own server. */
export const byPage = (page: URL): Record<string, string> => ({
  Accept: 'application/json',
  'Accept-Language': 'en',
  'Content-Type': 'application/json',
  'Sec-Fetch-Mode': 'same-origin',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Site': 'same-origin',
  Origin: page.origin,
  Referer: page.href,
});
