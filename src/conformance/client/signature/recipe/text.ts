import { escapeNonAscii, phpJson, pythonJson, spacedJson } from './json-texts.ts';
import { ORDERS, type Pairs } from './pairs.ts';

/** Choices of steps 1 to 3: which pairs are signed, and in which order. */
export interface PairChoices {
  /** Changes the pairs before they are signed. */
  readonly fields: (pairs: Pairs) => Pairs;
  readonly order: keyof typeof ORDERS | ((pairs: Pairs) => Pairs);
  readonly empties: 'skipped' | 'kept' | 'kept-as-null' | 'kept-as-none';
  readonly zero: 'kept' | 'dropped';
  readonly trimmed: 'both' | 'none' | 'keys-only' | 'before-skipping';
}

function isSigned({ trimmed, zero, empties }: PairChoices, given: unknown): boolean {
  const value = trimmed === 'before-skipping' && typeof given === 'string' ? trim(given) : given;
  if (value === 0 || value === '0') return zero === 'kept';
  return empties !== 'skipped' || !isEmpty(value);
}

/** A text in a list as Python writes it. */
function pythonText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Strips ASCII whitespace at both ends. */
function trim(text: string): string {
  return text.replace(/^[ \t-\r]+/, '').replace(/[ \t-\r]+$/, '');
}

/** Choices of steps 4 and 5: how the pairs become one text. */
export interface TextChoices {
  readonly lists: keyof typeof LISTS | ((value: object) => string);
  /** Encoding of a value. */
  readonly values: keyof typeof ENCODINGS | TextChange;
  /** Notation of a pair, the JSON of the whole body, or a text of all signed pairs. */
  readonly terms:
    | keyof typeof TERMS
    | keyof typeof JSON_BODIES
    | ((name: string, value: string) => string)
    | { readonly write: (pairs: Pairs) => string };
  /** Separator between two terms. */
  readonly joint: string;
  /** Booleans as the default of the gap `signed-booleans-and-objects`, or in words. */
  readonly booleans: 'numeric' | 'python' | 'words';
  /** Treatment of `&` at the ends, or texts put there. */
  readonly ends: keyof typeof ENDS | { readonly before: string; readonly after: string };
  /** Transformation of the whole text; `verbatim` replaces it. */
  readonly text: keyof typeof WHOLE_TEXTS | TextChange | { readonly verbatim: string };
}

type Choices = PairChoices & TextChoices;

/** A change of a text. */
export type TextChange = (text: string) => string;

const LISTS = {
  compact: phpJson,
  'slashes-plain': (value) => JSON.stringify(value),
  escaped: (value) => escapeNonAscii(phpJson(value)),
  spaced: spacedJson,
  'comma-joined': (value) => Object.values(value).join(','),
  python: (value) => `[${Object.values(value).map(pythonText).join(', ')}]`,
  java: (value) => `[${Object.values(value).map(String).join(', ')}]`,
} satisfies Record<string, (value: object) => string>;

/** Encodings of a value. */
export const ENCODINGS = {
  plain: (text) => text,
  'percent-encoded': percentEncode,
  'percent-lower': (text) =>
    percentEncode(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'percent-slash-kept': (text) => percentEncode(text).replaceAll('%2F', '/'),
  'percent-marks-kept': (text) => encodeURIComponent(Buffer.from(text).toString()),
  'form-encoded': formEncode,
  'form-tilde-encoded': (text) => formEncode(text).replaceAll('~', '%7E'),
  'form-lower': (text) => formEncode(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'form-star-kept': (text) => formEncode(text).replaceAll('~', '%7E').replaceAll('%2A', '*'),
  'numbers-normalised': (text) => (/^[+-]?\d+\.\d+$/.test(text) ? String(Number(text)) : text),
  'percent-twice': (text) => percentEncode(percentEncode(text)),
  'spaces-as-plus': (text) => text.replaceAll(' ', '+'),
  'plus-as-space': (text) => text.replaceAll('+', ' '),
  'json-quoted': (text) => JSON.stringify(text),
  'single-quoted': (text) => `'${text}'`,
  html: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'cut-at-hash': (text) => text.replace(/#.*$/s, ''),
  'cut-at-ampersand': (text) => text.replace(/&.*$/s, ''),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  'numbers-exponent': (text) => (DECIMAL.test(text) ? Number(text).toExponential() : text),
  'numbers-float': (text) => (INTEGER.test(text) ? `${text}.0` : text),
  'numbers-java': (text) => (INTEGER.test(text) || DECIMAL.test(text) ? javaDouble(text) : text),
  'numbers-fixed': (text) => (/^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text).toFixed(6) : text),
} satisfies Record<string, TextChange>;

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?\d+\.\d+$/;

/** A number as Java writes a double: from 10^7 on with an exponent, always with a fraction. */
function javaDouble(text: string): string {
  const number = Number(text);
  const isPlain = number === 0 || (Math.abs(number) >= 1e-3 && Math.abs(number) < 1e7);
  const [digits = '', exponent] = (isPlain ? String(number) : number.toExponential()).split('e');
  const fraction = digits.includes('.') ? digits : `${digits}.0`;
  return exponent === undefined ? fraction : `${fraction}E${exponent.replace('+', '')}`;
}

const TERMS = {
  pairs: (name, value) => `${name}=${value}`,
  'values-only': (_name, value) => value,
  'keys-only': (name) => name,
  'joined-without-equals': (name, value) => name + value,
  'joined-by-colon': (name, value) => `${name}:${value}`,
} satisfies Record<string, (name: string, value: string) => string>;

const JSON_BODIES = {
  json: { write: JSON.stringify, isSorted: false },
  'json-sorted': { write: JSON.stringify, isSorted: true },
  'json-spaced': { write: pythonJson, isSorted: false },
  'json-spaced-sorted': { write: pythonJson, isSorted: true },
};

const ENDS = {
  stripped: (text) => text.replace(/^&+/, '').replace(/&+$/, ''),
  kept: (text) => text,
  'trailing-ampersand': (text) => `${text}&`,
  'leading-ampersand': (text) => `&${text}`,
} satisfies Record<string, TextChange>;

const WHOLE_TEXTS = {
  plain: (text) => text,
  'percent-encoded': percentEncode,
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  bom: (text) => `\ufeff${text}`,
  'line-feed': (text) => `${text}\n`,
  nfc: (text) => text.normalize('NFC'),
  nfd: (text) => text.normalize('NFD'),
  nfkc: (text) => text.normalize('NFKC'),
  nfkd: (text) => text.normalize('NFKD'),
  'cut-at-hash': (text) => text.replace(/#.*$/s, ''),
  reversed: (text) => Array.from(text).reverse().join(''),
  quoted: (text) => `"${text}"`,
  'without-spaces': (text) => text.replace(/\s/g, ''),
} satisfies Record<string, TextChange>;

const EMPTY_TEXT: Readonly<Record<PairChoices['empties'], string>> = {
  skipped: '',
  kept: '',
  'kept-as-null': 'null',
  'kept-as-none': 'None',
};

/** The text S that is signed. */
export function textOf(choices: Choices, pairs: Pairs): string {
  const { text, ends } = choices;
  if (typeof text === 'object') return text.verbatim;
  const terms = joined(choices, pairs);
  const ended =
    typeof ends === 'object' ? ends.before + ENDS.stripped(terms) + ends.after : ENDS[ends](terms);
  return chosen<keyof typeof WHOLE_TEXTS, TextChange>(WHOLE_TEXTS, text)(ended);
}

/** A choice of a part: one of those that have a name, or a function of its own. */
function chosen<Name extends string, Change extends (...given: never[]) => unknown>(
  named: Readonly<Record<Name, Change>>,
  choice: Name | Change,
): Change {
  return typeof choice === 'function' ? choice : named[choice];
}

function joined(choices: Choices, pairs: Pairs): string {
  const { order, terms, joint } = choices;
  const sorted = chosen<keyof typeof ORDERS, (pairs: Pairs) => Pairs>(ORDERS, order);
  if (isJson(terms)) {
    const { write, isSorted } = JSON_BODIES[terms];
    // A JSON body contains empty values too.
    return write(Object.fromEntries(isSorted ? sorted(pairs) : pairs));
  }
  const signed = sorted(pairs.filter(([, value]) => isSigned(choices, value)));
  if (typeof terms === 'object') return terms.write(signed);
  const term = chosen<keyof typeof TERMS, (name: string, value: string) => string>(TERMS, terms);
  return signed
    .map(([key, value]) => term(nameText(choices, key), valueText(choices, value)))
    .join(joint);
}

function isJson(terms: Choices['terms']): terms is keyof typeof JSON_BODIES {
  return typeof terms === 'string' && Object.hasOwn(JSON_BODIES, terms);
}

function nameText({ trimmed }: Choices, name: string): string {
  return trimmed === 'none' ? name : trim(name);
}

function valueText(choices: Choices, value: unknown): string {
  const text = chosen<keyof typeof ENCODINGS, TextChange>(
    ENCODINGS,
    choices.values,
  )(plainText(choices, value));
  const { trimmed } = choices;
  return trimmed === 'both' || trimmed === 'before-skipping' ? trim(text) : text;
}

function plainText({ empties, lists, booleans }: Choices, value: unknown): string {
  if (value === null || value === undefined) return EMPTY_TEXT[empties];
  if (typeof value === 'object')
    return chosen<keyof typeof LISTS, (value: object) => string>(LISTS, lists)(value);
  if (typeof value === 'boolean') {
    if (booleans === 'python') return value ? 'True' : 'False';
    if (booleans === 'words') return String(value);
    return value ? '1' : '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formEncode(text: string): string {
  return percentEncode(text).replaceAll('%20', '+');
}

/** Through bytes, which replaces lone surrogates: `encodeURIComponent` would throw on them. */
function percentEncode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
