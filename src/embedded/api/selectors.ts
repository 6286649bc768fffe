import type { KubeObject } from '../store/object.ts';
import { badRequest } from './status.ts';

export type Matcher = (object: KubeObject) => boolean;

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

/** Splits at commas outside of parentheses. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  parts.push(part);
  return parts.map((one) => one.trim()).filter((one) => one !== '');
}

function requirement(text: string): Requirement {
  const set = /^([^\s=!(),]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (set?.[1] !== undefined) {
    const [, key, operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return operator === 'in'
      ? (labels) => labels[key] !== undefined && values.has(labels[key])
      : (labels) => labels[key] === undefined || !values.has(labels[key]);
  }
  const pair = /^([^\s=!(),]+)\s*(==|=|!=)\s*([^\s=!(),]*)$/.exec(text);
  if (pair?.[1] !== undefined) {
    const [, key, operator, value] = pair;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const exists = /^(!?)\s*([^\s=!(),]+)$/.exec(text);
  if (exists?.[2] !== undefined) {
    const [, not, key] = exists;
    return (labels) => (labels[key] !== undefined) === (not === '');
  }
  throw badRequest(`unable to parse requirement: found '${text}', expected: a label selector`);
}

/** A label selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas. */
export function labelMatcher(selector: string): (labels: Labels) => boolean {
  const requirements = split(selector).map(requirement);
  return (labels) => requirements.every((one) => one(labels));
}

const fields = new Set([
  'metadata.name',
  'metadata.namespace',
  'status.phase',
  'spec.nodeName',
  'spec.restartPolicy',
  'status.successful',
  'type',
  'reason',
  'reportingComponent',
  'involvedObject.name',
  'involvedObject.namespace',
  'involvedObject.uid',
  'involvedObject.kind',
]);

function fieldOf(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return '';
    value = Reflect.get(value, key);
  }
  return value === undefined || value === null ? '' : String(value);
}

/** A field selector: `metadata.name=x,status.phase!=Running`. */
export function fieldMatcher(selector: string): Matcher {
  const tests = split(selector).map((text): Matcher => {
    const found = /^([^=!]+?)\s*(==|=|!=)\s*(.*)$/.exec(text);
    const path = found?.[1];
    if (path === undefined) throw badRequest(`invalid field selector: ${text}`);
    if (!fields.has(path)) throw badRequest(`field label not supported: ${path}`);
    return found?.[2] === '!='
      ? (object) => fieldOf(object, path) !== found[3]
      : (object) => fieldOf(object, path) === found?.[3];
  });
  return (object) => tests.every((test) => test(object));
}

/** Both selectors of a request as one test. */
export function matcherOf(query: URLSearchParams): Matcher {
  const labels = labelMatcher(query.get('labelSelector') ?? '');
  const field = fieldMatcher(query.get('fieldSelector') ?? '');
  return (object) => labels(object.metadata.labels ?? {}) && field(object);
}
