import { badInput } from '../../base/errors.ts';
import { readPrivateFile } from '../state/read-private-file.ts';
import { parseShellAssignments } from './shell-assignments.ts';

/** Whom to sign in. Nothing of it may be shown, logged or put into an error. */
export interface AccountCredentials {
  /** A handle or a DID. */
  readonly identifier: string;
  readonly password: string;
  /** The account's PDS, where its owner names it; else it is found by the handle. */
  readonly pdsUrl: URL | undefined;
}

type Variables = ReadonlyMap<string, string>;

const handleNames = ['ATP_HANDLE', 'ATPROTO_HANDLE'];
const passwordNames = ['ATP_PASSWORD', 'ATPROTO_PASSWORD'];
const pdsNames = ['ATP_PDS_URL', 'ATPROTO_PDS_URL'];
const allNames = [...handleNames, ...passwordNames, ...pdsNames];

/** What was given of them, and where: not every way to sign in needs all. */
export interface GivenCredentials {
  readonly identifier: string | undefined;
  readonly password: string | undefined;
  readonly pdsUrl: URL | undefined;
  /** As messages name the place. */
  readonly where: string;
}

/** From `file` alone where one is named, else from the environment. Rejects with BadInput. */
export async function readCredentials(
  file: string | undefined,
  environment: Readonly<Partial<Record<string, string>>>,
): Promise<GivenCredentials> {
  if (file === undefined) {
    const set = allNames.map((name) => [name, environment[name] ?? ''] as const);
    return credentialsOf(new Map(set), 'the environment');
  }
  const text = await readPrivateFile(file, 'the credential file');
  if (text === null) throw badInput(`the credential file ${file} does not exist; check the path`);
  if (text.trim() === '') throw badInput(`the credential file ${file} is empty; ${wanted}`);
  return credentialsOf(parseShellAssignments(text, allNames, file), file);
}

/** What a sign-in with a password needs. Throws BadInput that names what is missing. */
export function completeCredentials(given: GivenCredentials): AccountCredentials {
  const { identifier, password, pdsUrl, where } = given;
  if (identifier !== undefined && password !== undefined) return { identifier, password, pdsUrl };
  const missing = [
    ...(identifier === undefined ? [handleNames.join(' or ')] : []),
    ...(password === undefined ? [passwordNames.join(' or ')] : []),
  ];
  throw badInput(
    `${where} has no ${missing.join(' and no ')}; ${wanted} into a file that only you can read, and name it with --credentials FILE; or sign in with --browser`,
  );
}

const wanted = 'write lines such as export ATP_HANDLE="…" and export ATP_PASSWORD=\'…\'';

function credentialsOf(variables: Variables, where: string): GivenCredentials {
  const identifier = only(variables, handleNames, where);
  const password = only(variables, passwordNames, where);
  return {
    identifier: identifier === undefined ? undefined : checkIdentifier(identifier, where),
    password,
    pdsUrl: pdsOf(variables, where),
    where,
  };
}

/** The value of the names, which mean the same; two that differ are refused. */
function only(variables: Variables, names: readonly string[], where: string): string | undefined {
  const values = new Set(names.map((name) => variables.get(name) ?? '').filter((value) => value !== ''));
  if (values.size > 1) throw badInput(`${where} has different values for ${names.join(' and ')}; keep one`);
  const [value] = values;
  return value;
}

function checkIdentifier(text: string, where: string): string {
  const identifier = text.trim().replace(/^@/, '');
  const isHandle = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(
    identifier,
  );
  const isDid = /^did:(plc:[a-z2-7]{24}|web:[a-z0-9.-]+(%3A\d+)?)$/i.test(identifier);
  if (isDid) return identifier;
  if (isHandle && identifier.length <= 253) return identifier.toLowerCase();
  throw badInput(
    `${where} has a ${handleNames.join(' or ')} that is neither a handle, as name.example.com, nor a DID`,
  );
}

function pdsOf(variables: Variables, where: string): URL | undefined {
  const text = only(variables, pdsNames, where);
  if (text === undefined) return undefined;
  try {
    return new URL(text);
  } catch {
    throw badInput(
      `${where} has an ${pdsNames.join(' or ')} that is no URL; write it as https://pds.example`,
    );
  }
}
