import { randomInt } from 'node:crypto';

const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters, as the real API appends them to a generateName: no vowels, nothing easily mistaken. */
const randomSuffix = (): string =>
  Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');

/** What `generateName` becomes; the base is cut so that the whole fits a label. */
export const generatedName = (base: string): string => `${base.slice(0, 58)}${randomSuffix()}`;

const dns1123Subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What is wrong with a name, in the API's words; undefined when nothing is. */
export function nameFault(name: string): string | undefined {
  if (name.length > 253) return `Invalid value: "${name}": must be no more than 253 characters`;
  if (!dns1123Subdomain.test(name))
    return (
      `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ` +
      `'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for ` +
      `validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
    );
  return undefined;
}

const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** What is wrong with a label's value, in the API's words; undefined when nothing is. */
export function labelValueFault(value: string): string | undefined {
  if (value.length > 63) return `Invalid value: "${value}": must be no more than 63 bytes`;
  if (!labelValue.test(value))
    return (
      `Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, ` +
      `'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  ` +
      `or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
    );
  return undefined;
}
