/** Writes each UTF-16 unit that matches as an escape. */
function escapeUnits(text: string, which: RegExp, write: (hex: string) => string): string {
  return text
    .split('')
    .map((unit) =>
      which.test(unit) ? write(unit.charCodeAt(0).toString(16).padStart(4, '0')) : unit,
    )
    .join('');
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Spellings of a text within a JSON string, all of the same value. */
export const JSON_SPELLINGS: readonly ((text: string) => string)[] = [
  inJson,
  (text) => inJson(text).replaceAll('/', '\\/'),
  (text) => escapeUnits(text, /[^a-z]/i, (hex) => `\\u${hex}`),
  (text) => escapeUnits(text, /./s, (hex) => `\\u${hex.toUpperCase()}`),
];

/** Spellings of a text by which a service may echo it anywhere. */
export const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  ...JSON_SPELLINGS,
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(text).replace(/%../g, (pair) => pair.toLowerCase()),
  (text) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
];

/** Spellings that can be decoded as a whole only. */
export const WHOLE_SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => Buffer.from(text, 'utf8').toString('hex'),
  (text) => Buffer.from(text, 'utf8').toString('hex').toUpperCase(),
  (text) => Buffer.from(text, 'utf8').toString('base64'),
  (text) => Buffer.from(text, 'utf8').toString('base64url'),
];

/** All of both kinds. */
export const EVERY_SPELLING: readonly ((text: string) => string)[] = [
  ...SPELLINGS,
  ...WHOLE_SPELLINGS,
];
