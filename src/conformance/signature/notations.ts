/** A change of a text. */
export type TextChange = (text: string) => string;

/** Writes what is not ASCII as `\\u` and four hex digits. */
export function escapeNonAscii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, unitEscape);
}

/** A UTF-16 unit as JSON escapes it, in upper-case hex. */
export const upperEscape: typeof unitEscape = (unit) =>
  `\\u${unitEscape(unit).slice(2).toUpperCase()}`;

/** A UTF-16 unit as JSON escapes it. */
export function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON with a space after each colon and comma. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spacedJson(one)}`,
  );
  return `{${members.join(', ')}}`;
}

/** JSON with spaces and non-ASCII text escaped, as Python writes it. */
export function pythonJson(value: object): string {
  return escapeNonAscii(spacedJson(value));
}

const PYTHON_WORDS: Readonly<Record<string, string>> = {
  null: 'None',
  true: 'True',
  false: 'False',
};

/** A value as Python shows it. */
export function pythonShown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonShown).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map((pair) => pair.map(pythonShown).join(': '));
    return `{${members.join(', ')}}`;
  }
  if (typeof value !== 'string')
    return PYTHON_WORDS[JSON.stringify(value)] ?? JSON.stringify(value);
  return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value}'`;
}

/** Through bytes, which replaces lone surrogates: `encodeURIComponent` would throw on them. */
export function percentEncode(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Percent-encodes, with `+` for a space. */
export function formEncode(text: string): string {
  return percentEncode(text).replaceAll('%20', '+');
}

/** Percent-encodes as RFC 3986 does a path. */
export const percentEncodePath: TextChange = (text) => percentEncode(text).replaceAll('%2F', '/');
/** Form-encodes, with `~` encoded. */
export const formEncodeTilde: TextChange = (text) => formEncode(text).replaceAll('~', '%7E');
/** Form-encodes as Java does, with `*` as it is. */
export const formEncodeJava: TextChange = (text) => formEncodeTilde(text).replaceAll('%2A', '*');

/** Percent-decodes; a text that is not encoded stays as it is. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Writes the hex digits of percent-encoded text in lower case. */
export function lowerHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/** Replaces lone surrogates, which cannot be encoded. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

export function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

export const INTEGER = /^[+-]?\d+$/;
export const DECIMAL = /^[+-]?\d+\.\d+$/;
export const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** Rewrites the values that match a pattern. */
export const rewritten =
  (pattern: RegExp, change: TextChange): TextChange =>
  (text) =>
    pattern.test(text) ? change(text) : text;

/** Writes a value that is a number in another way. */
export const numberAs = (
  write: (number: number) => string | number,
  pattern: RegExp = NUMBER,
): TextChange => rewritten(pattern, (text) => String(write(Number(text))));

/** Writes a value that is a decimal in another way. */
export const decimalAs = (write: (number: number) => string | number): TextChange =>
  numberAs(write, DECIMAL);

/** Replaces each occurrence of a text, or what a pattern matches. */
export const replaced =
  (what: string | RegExp, other: string | ((match: string) => string)): TextChange =>
  (text) =>
    typeof what === 'string'
      ? text.replaceAll(what, other as string)
      : text.replace(what, other as string);

/** Puts texts before and behind a text. */
export const surrounded =
  (before: string, behind: string = ''): TextChange =>
  (text) =>
    before + text + behind;

/** A text from its end to its beginning. */
export const reversed: TextChange = (text) => Array.from(text).reverse().join('');

/** A text in upper case. */
export const upper: TextChange = (text) => text.toUpperCase();

/** A number as Java writes a double: from 10^7 on with an exponent, always with a fraction. */
export function javaDouble(text: string): string {
  const number = Number(text);
  const isPlain = number === 0 || (Math.abs(number) >= 1e-3 && Math.abs(number) < 1e7);
  const [digits = '', exponent] = (isPlain ? String(number) : number.toExponential()).split('e');
  const fraction = digits.includes('.') ? digits : `${digits}.0`;
  return exponent === undefined ? fraction : `${fraction}E${exponent.replace('+', '')}`;
}

/** The hash code of a text in Java. */
export function javaHash(text: string): number {
  let code = 0;
  for (let at = 0; at < text.length; at++) code = (Math.imul(31, code) + text.charCodeAt(at)) | 0;
  return code;
}

/** A text as Python shows its bytes. */
function pythonBytes(text: string): string {
  const shown = (byte: number): string =>
    byte > 31 && byte < 127
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`;
  return `b'${Array.from(Buffer.from(text), shown).join('')}'`;
}

/** Texts as languages print a value that is wrapped or quoted. */
export const PRINTED: readonly (readonly [shown: string, change: TextChange])[] = [
  ["b'…'", pythonBytes],
  ...'"…" \'…\' Some("…") Some(…) Optional("…") Optional[…] Just"…" u\'…\' […] {…} (…) <…>'
    .split(' ')
    .map((shown) => [shown, surrounded(...(shown.split('…') as [string, string]))] as const),
];

/** Forms in which a list is printed. */
export const LIST_FORMS: readonly (readonly [
  shown: string,
  write: (items: readonly unknown[]) => string,
])[] = ['', '[]', '{}', '()'].flatMap((brackets) =>
  ['', "'", '"', ':'].flatMap((quote) =>
    [',', ', ', ' ', '|', ';', '\n', '', '+', '%20', '  ', '&', '/', '-', '_'].map((joint) => {
      const behind = quote === ':' ? '' : quote;
      const write = (items: readonly unknown[]): string =>
        brackets.slice(0, 1) +
        items.map((one) => quote + String(one) + behind).join(joint) +
        brackets.slice(1);
      const named =
        joint === ' ' ? 'with spaces' : joint && `with \`${JSON.stringify(joint).slice(1, -1)}\``;
      const shown =
        brackets + quote === ''
          ? `joins a list ${named || 'without a separator'}`
          : `writes a list as ${JSON.stringify(write(['a', 'b']))}`;
      return [shown, write] as const;
    }),
  ),
);
