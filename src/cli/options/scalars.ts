import { badInput } from '../../base/errors.ts';

const sizeUnits = ['', 'K', 'M', 'G', 'T'];

/** `500000`, `200MB`, `10GiB` (also `10Gi`) in bytes: decimal units, and binary ones with an i. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B?$/i.exec(text);
  const [, count, unit = '', binary = ''] = match ?? [];
  if (count === undefined || (unit === '' && binary !== '')) {
    throw badInput(`${quote(text)} is not a size; write it as 500MB or 10GiB`);
  }
  const factor = (binary === '' ? 1000 : 1024) ** sizeUnits.indexOf(unit.toUpperCase());
  const bytes = Math.floor(Number(count) * factor);
  if (!Number.isSafeInteger(bytes)) throw badInput(`${quote(text)} is more than can be counted`);
  return bytes;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw badInput(`${quote(text)} is not a number`);
  return count;
}

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw badInput(`${quote(text)} is none of ${words.join(', ')}`);
    return word;
  };
}

/** A check that throws, as a parser that gives the text back. */
export function checked(check: (text: string) => void): (text: string) => string {
  return (text) => {
    check(text);
    return text;
  };
}

/** Any text but an empty one, and none that could not be an argument of a program. */
export function parseText(text: string): string {
  if (text.trim() === '') throw badInput('is empty; give it a value');
  if (text.includes('\0')) throw badInput('holds a NUL character, which no program could take; leave it out');
  return text;
}

/** For messages: the text in quotes, without anything that could drive a terminal, and not too long. */
export function quote(text: string): string {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return JSON.stringify(shown).replace(/[\u007f-\u009f\u2028\u2029]/g, '?');
}
