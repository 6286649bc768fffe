/** Each tells what is wrong with a text, or undefined where nothing is. */
export type TextRule = (text: string) => string | undefined;

/** A step's name stands alone in a line of the log and in the terminal. */
export const stepNameProblem: TextRule = (name) => {
  if (name.trim() === '') return 'the name is empty';
  if (name !== name.trim()) return 'the name begins or ends with white space';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'the name has a control character or line break';
  if (/[\u202a-\u202e\u2066-\u2069]/.test(name))
    return 'the name has a character that turns the direction of text';
  return loneSurrogate(name);
};

/** What `sh` is to run. */
export const commandProblem: TextRule = (command) => {
  if (command.trim() === '') return 'the script is empty';
  return valueProblem(command);
};

/** Any text that a program in the pod gets. */
export const valueProblem: TextRule = (value) =>
  value.includes('\0') ? 'it has a NUL, which no shell can take' : loneSurrogate(value);

/** The value of a variable. Linux starts no program with a `NAME=VALUE` of 128 KiB or more. */
export const variableValueProblem: TextRule = (value) =>
  Buffer.byteLength(value) > longestValue
    ? `it is longer than ${longestValue} bytes, which is too much for a variable; put it into a file`
    : valueProblem(value);

const longestValue = 127 * 1024;

export const variableNameProblem: TextRule = (name) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? undefined
    : `${JSON.stringify(name)} is no name of a variable; use letters, digits and _, not beginning with a digit`;

/** Half of a pair, which only an escape can write and UTF-8 cannot hold. */
const loneSurrogate: TextRule = (text) =>
  /\p{Cs}/u.test(text) ? 'it has half of a surrogate pair, which is no character' : undefined;
