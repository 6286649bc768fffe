import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { badInput } from '../base/errors.ts';

/** kubectl reads an empty or null value as one that is not there. */
const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

const clusterSchema = z.object({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': flag,
  'tls-server-name': text,
  'proxy-url': text,
  extensions: list(z.object({ name: z.string(), extension: z.unknown() })),
});

const execSchema = z.object({
  apiVersion: text,
  command: text,
  args: list(z.string()),
  env: list(z.object({ name: z.string(), value: z.string() })),
  installHint: text,
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).nullish(),
  provideClusterInfo: flag,
});

const userSchema = z.object({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  exec: execSchema.nullish(),
  as: text,
  'as-uid': text,
  'as-groups': list(z.string()),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  'auth-provider': z.object({ name: text }).nullish(),
});

const contextSchema = z.object({ cluster: text, user: text, namespace: text });

const kubeConfigSchema = z
  .object({
    'current-context': text,
    clusters: list(z.object({ name: z.string(), cluster: clusterSchema.nullish() })),
    users: list(z.object({ name: z.string(), user: userSchema.nullish() })),
    contexts: list(z.object({ name: z.string(), context: contextSchema.nullish() })),
  })
  .nullish();

export type KubeCluster = z.output<typeof clusterSchema>;
export type KubeUser = z.output<typeof userSchema>;
type KubeContext = z.output<typeof contextSchema>;
export type KubeExec = z.output<typeof execSchema>;

/** Something that a kubeconfig defines, with the file where it stands: relative paths start there. */
export interface Defined<T> {
  readonly value: T;
  readonly file: string;
}

export interface KubeConfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Defined<KubeCluster>>;
  readonly users: ReadonlyMap<string, Defined<KubeUser>>;
  readonly contexts: ReadonlyMap<string, Defined<KubeContext>>;
}

/**
 * The text of one kubeconfig file. Throws BadInput that names the file and the place. The parser's own words
 * and the offending text are left out of it: they may be a credential.
 */
export function parseKubeConfig(source: string, file: string): KubeConfig {
  const lines = new LineCounter();
  const document = parseDocument(source, { prettyErrors: false, lineCounter: lines, logLevel: 'silent' });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw badInput(`the kubeconfig ${file} is not valid YAML at line ${line}, column ${col} (${error.code})`);
  }
  const parsed = kubeConfigSchema.safeParse(plainObject(document.toJS.bind(document), file));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const place = issue?.path.map(String).join('.') || 'its top';
    throw badInput(`the kubeconfig ${file} is malformed at ${place}: ${issue?.message ?? 'unreadable'}`);
  }
  return {
    currentContext: parsed.data?.['current-context'],
    clusters: byName(
      parsed.data?.clusters ?? [],
      'cluster',
      (e) => e.cluster ?? clusterSchema.parse({}),
      file,
    ),
    users: byName(parsed.data?.users ?? [], 'user', (e) => e.user ?? userSchema.parse({}), file),
    contexts: byName(
      parsed.data?.contexts ?? [],
      'context',
      (e) => e.context ?? contextSchema.parse({}),
      file,
    ),
  };
}

function plainObject(read: () => unknown, file: string): unknown {
  try {
    return read();
  } catch {
    throw badInput(`the kubeconfig ${file} uses YAML aliases that cannot be resolved`);
  }
}

function byName<E extends { name: string }, T>(
  entries: readonly E[],
  kind: string,
  read: (entry: E) => T,
  file: string,
): Map<string, Defined<T>> {
  const found = new Map<string, Defined<T>>();
  for (const entry of entries) {
    if (found.has(entry.name)) {
      throw badInput(`the kubeconfig ${file} defines the ${kind} "${entry.name}" twice; remove one of them`);
    }
    found.set(entry.name, { value: read(entry), file });
  }
  return found;
}

/** As kubectl merges: what is named first, and the first current context, win whole. */
export function mergeKubeConfigs(configs: readonly KubeConfig[]): KubeConfig {
  return {
    currentContext: configs.find((config) => config.currentContext)?.currentContext,
    clusters: firstWins(configs.map((config) => config.clusters)),
    users: firstWins(configs.map((config) => config.users)),
    contexts: firstWins(configs.map((config) => config.contexts)),
  };
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  return new Map([...maps].reverse().flatMap((map) => [...map]));
}
