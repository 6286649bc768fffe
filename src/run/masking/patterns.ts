import { base64Forms, jsonForms, shellForms, urlForms } from './encodings.ts';

/** Shorter values, and shorter lines of a value, are not masked: they would blot out half of the log. */
export const shortestSecret = 4;

/** All the byte strings that give `value` away; none for a value that is too short to be masked. */
export function secretPatterns(value: string): Buffer[] {
  const texts = [value, ...value.split(/\r\n|\n|\r/)].flatMap((part) => [part, part.trim()]);
  const forms = [...new Set(texts)]
    .filter((text) => text.length >= shortestSecret && text.trim() !== '')
    .flatMap((text) => [
      text,
      ...base64Forms(text),
      ...urlForms(text),
      ...jsonForms(text),
      ...shellForms(text),
    ]);
  return [...new Set(forms)].filter((form) => form.length >= shortestSecret).map((form) => Buffer.from(form));
}
