import { badInput, messageOf } from '../../base/errors.ts';
import { readInputFile } from './input-files.ts';
import { quote } from './scalars.ts';

/** A patch of a pod's spec, in YAML or JSON. */
export async function readPodPatch(cwd: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const content = await readInputFile(cwd, file, 1024 * 1024);
  const { parse } = await import('yaml');
  let patch: unknown;
  try {
    patch = parse(content, { maxAliasCount: 100, prettyErrors: true });
  } catch (error) {
    const firstLine = messageOf(error).split('\n')[0] ?? '';
    throw badInput(`${quote(file)} is neither YAML nor JSON: ${firstLine.replace(/:$/, '')}`, error);
  }
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw badInput(
      `${quote(file)} holds no patch of a pod's spec; write its fields, such as "hostAliases: …"`,
    );
  }
  return Object.fromEntries(Object.entries(patch));
}
