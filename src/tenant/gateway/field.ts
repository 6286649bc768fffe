/** What stands at names with dots between them; undefined where nothing does. */
export function fieldOf(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path === '' ? [] : path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Object.entries(found).find(([key]) => key === name)?.[1];
  }
  return found;
}

/** Text at a field; undefined for anything else, and for an empty one. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = fieldOf(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
