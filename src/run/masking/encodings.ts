/** The ways in which programs print a value besides as it is. Each may return forms that it shares with others. */

/**
 * Base64, in the standard and the URL alphabet. A value inside a longer text may begin at any of three
 * places of base64's groups: each form is cut to the characters that depend on the value alone, and then
 * the endings are added that follow where the text ends with the value, or with the value and a newline.
 */
export function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const standard = ([0, 1, 2] as const).flatMap((before) => {
    const core = base64At(before, bytes);
    const withEnd = base64At(before, bytes, '');
    const withNewline = base64At(before, bytes, '\n');
    return [core, withEnd.replace(/=+$/, ''), withEnd, withNewline.replace(/=+$/, ''), withNewline];
  });
  const wrapped = [bytes, Buffer.concat([bytes, Buffer.from('\n')])].flatMap((whole) => wrappedBase64(whole));
  const all = [...standard, ...wrapped];
  return [...all, ...all.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** Without `end`: only the characters that hold nothing of what stands before or after the value. */
function base64At(before: 0 | 1 | 2, bytes: Buffer, end?: string): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes, Buffer.from(end ?? '')]).toString('base64');
  const first = before === 0 ? 0 : before + 1;
  return text.slice(first, end === undefined ? Math.floor(((before + bytes.length) * 8) / 6) : undefined);
}

/** Line by line, as `base64` (76 columns) and `openssl base64` (64) print a value that is longer than a line. */
function wrappedBase64(bytes: Buffer): string[] {
  const text = bytes.toString('base64');
  return [64, 76].flatMap((columns) =>
    text.length > columns ? (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []) : [],
  );
}

/**
 * Percent-encoding. Programs differ in which marks they leave as they are, in the case of the digits, and in
 * `%20` or `+` for a space; for most values all that comes to one form or two.
 */
export function urlForms(value: string): string[] {
  const component = encodeURIComponent(value.replace(loneSurrogate, '\ufffd'));
  return markSets
    .map((marks) => component.replace(marks, percentEncode))
    .flatMap((form) => leftAsTheyAre.map((codes) => form.replace(codes, decodeURIComponent)))
    .flatMap((form) => [form, form.replaceAll('%20', '+')])
    .flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]);
}

/** `encodeURIComponent` refuses them, and UTF-8 has no bytes for them. */
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Encoded besides what `encodeURIComponent` encodes: nothing, RFC 3986, HTML forms, all. */
const markSets = [/(?!)/g, /[!'()*]/g, /[!'()~]/g, /[!'()*~]/g];
/** Decoded again: nothing, a path's slashes, a path's marks, all that `encodeURI` leaves. */
const leftAsTheyAre = [/(?!)/g, /%2F/g, /%(?:2F|3A|40)/g, /%(?:2[346BCF]|3[ABDF]|40)/g];

const percentEncode = (mark: string): string => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;

/** The inside of a JSON string, as JavaScript, Python, Go and PHP write it. */
export function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const forHtml = plain.replace(/[<>&]/g, unicodeEscape);
  const ascii = (form: string): string => form.replace(/[\u007f-\uffff]/g, unicodeEscape);
  return [plain, forHtml, ascii(plain), ascii(forHtml)]
    .flatMap((form) => [form, form.replaceAll('/', '\\/')])
    .flatMap((form) => [form, form.replace(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`)]);
}

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** As shells print a word that they quote, `sh -x` before all. */
export function shellForms(value: string): string[] {
  return [
    value.replaceAll("'", `'\\''`),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll("'", "\\'"),
    value.replace(/["$`\\]/g, '\\$&'),
    value.replace(/[^\w@%+=:,./~\n\u0080-\uffff-]/g, '\\$&'),
  ];
}
