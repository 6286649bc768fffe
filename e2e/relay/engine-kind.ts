const kinds: readonly (readonly [method: string, path: RegExp, kind: string])[] = [
  ['POST', /^\/containers\/create$/, 'create-container'],
  ['POST', /^\/containers\/[^/]+\/start$/, 'start-container'],
  ['POST', /^\/containers\/[^/]+\/wait$/, 'wait'],
  ['POST', /^\/containers\/[^/]+\/(?:kill|stop)$/, 'stop-container'],
  ['PUT', /^\/containers\/[^/]+\/archive$/, 'put-archive'],
  ['POST', /^\/containers\/[^/]+\/exec$/, 'create-exec'],
  ['GET', /^\/containers\/json$/, 'list-containers'],
  ['GET', /^\/containers\/[^/]+\/json$/, 'get-container'],
  ['DELETE', /^\/containers\/[^/]+$/, 'delete-container'],
  ['POST', /^\/exec\/[^/]+\/start$/, 'exec'],
  ['GET', /^\/exec\/[^/]+\/json$/, 'get-exec'],
  ['POST', /^\/networks\/create$/, 'create-network'],
  ['GET', /^\/networks(?:\/.*)?$/, 'get-network'],
  ['DELETE', /^\/networks\/[^/]+$/, 'delete-network'],
  ['POST', /^\/images\/create$/, 'pull'],
  ['GET', /^\/images\/.+\/json$/, 'get-image'],
  ['GET', /^\/events$/, 'events'],
];

/** The name of a request to a container engine in fault rules; `other` for what runs do not ask. */
export function engineKindOf(method: string, url: string): string {
  const path = url.replace(/\?.*/s, '').replace(/^\/v[\d.]+(?=\/)/, '');
  return kinds.find(([one, pattern]) => one === method && pattern.test(path))?.[2] ?? 'other';
}
