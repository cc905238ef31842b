import { createHmac, hash } from 'node:crypto';
import { type Charset, encodeText } from '../parsing/charset.ts';

/**
 * A signature algorithm with its choices laid open, so that a client's wrong choice can be tried.
 * {@link DOCUMENTED_RECIPE} holds the documented ones (interface.md, "Signature algorithm").
 */
export interface Recipe {
  readonly order:
    | 'bytes'
    | 'locale'
    | 'ignoring-case'
    | 'ignoring-case-upper'
    | 'as-sent'
    | 'descending'
    | 'by-value';
  readonly empties: 'skipped' | 'kept' | 'kept-as-null' | 'kept-as-none';
  readonly zero: 'kept' | 'dropped';
  readonly trimmed: 'both' | 'none' | 'keys-only' | 'before-skipping';
  readonly values:
    | 'plain'
    | 'percent-encoded'
    | 'percent-lower'
    | 'percent-slash-kept'
    | 'percent-marks-kept'
    | 'form-encoded'
    | 'form-tilde-encoded'
    | 'form-star-kept'
    | 'numbers-normalised'
    | 'numbers-fixed';
  /** What one pair looks like, and what stands between two. */
  readonly terms:
    | 'pairs'
    | 'values-only'
    | 'keys-only'
    | 'joined-without-equals'
    | 'joined-by-colon'
    | 'json'
    | 'json-sorted'
    | 'json-spaced'
    | 'json-spaced-sorted';
  readonly joint: '&' | '' | ',' | '|' | ';' | '\n';
  /** Whether the whole text is encoded after joining, or is another one. */
  readonly text: 'plain' | 'percent-encoded' | 'lower' | 'upper' | { readonly verbatim: string };
  readonly lists: 'compact' | 'escaped' | 'spaced' | 'slashes-plain' | 'comma-joined';
  readonly charset: Charset;
  readonly ends: 'stripped' | 'kept' | 'trailing-ampersand' | 'leading-ampersand';
  readonly inner: 'lower' | 'upper' | 'raw' | 'none';
  /** `key-inside` hashes S and the key together, and the digest of that once more. */
  readonly outer: 'keyed' | 'unkeyed' | 'key-inside';
  readonly algorithm:
    | 'md5'
    | 'sha1'
    | 'sha256'
    | 'sha512'
    | 'hmac-md5'
    | 'hmac-md5-of-inner'
    | 'hmac-sha1'
    | 'hmac-sha256';
  readonly keyPlace: 'last' | 'first' | 'both-ends';
  readonly separator: string;
  /** How the digest is written in the end. */
  readonly notation: 'hex' | 'base64' | 'base64-of-hex' | 'first-half' | 'middle-half';
  readonly keyText: 'as-is' | 'trimmed' | 'lower' | 'upper' | 'md5' | 'from-hex' | 'from-base64';
  /** Changes the pairs before they are signed. */
  readonly fields: (pairs: Pairs) => Pairs;
}

/** Pairs in the order in which they were sent. */
export type Pairs = readonly (readonly [key: string, value: unknown])[];

/** The algorithm as documented. */
export const DOCUMENTED_RECIPE: Recipe = {
  order: 'bytes',
  empties: 'skipped',
  zero: 'kept',
  trimmed: 'both',
  values: 'plain',
  terms: 'pairs',
  joint: '&',
  text: 'plain',
  lists: 'compact',
  charset: 'utf-8',
  ends: 'stripped',
  inner: 'lower',
  outer: 'keyed',
  algorithm: 'md5',
  keyPlace: 'last',
  separator: '',
  notation: 'hex',
  keyText: 'as-is',
  fields: (pairs) => pairs,
};

/** A signature made by a recipe, with the text that was signed. */
export interface RecipeResult {
  readonly signedText: string;
  readonly signature: string;
}

/** Whether a recipe can be followed with that key: a key that is no hex cannot be decoded from hex. */
export function isFeasible({ keyText }: Recipe, signingKey: string): boolean {
  if (keyText === 'from-hex') return /^([0-9a-f]{2})+$/i.test(signingKey);
  return keyText !== 'from-base64' || BASE64.test(signingKey);
}

const BASE64 = /^(?:[\w+/-]{4})+(?:[\w+/-]{2}={0,2}|[\w+/-]{3}=?)?$/;

/** Signs by a recipe; a text that the recipe's charset cannot write is written with `?`. */
export function signBy(recipe: Recipe, sent: Pairs, signingKey: string): RecipeResult {
  const given = recipe.fields(sent);
  // The JSON of a body holds what the body holds.
  const pairs = isJson(recipe) ? given : given.filter(([, value]) => enters(recipe, value));
  const signedText = wholeText(recipe, ends(recipe, joinTerms(recipe, ordered(recipe, pairs))));
  return { signedText, signature: notated(recipe, digest(recipe, signedText, signingKey)) };
}

const isJson = ({ terms }: Recipe): boolean => terms.startsWith('json');

function joinTerms(recipe: Recipe, pairs: Pairs): string {
  switch (recipe.terms) {
    case 'json':
    case 'json-sorted':
      return JSON.stringify(Object.fromEntries(pairs));
    case 'json-spaced':
    case 'json-spaced-sorted':
      return escapeNonAscii(spacedJson(Object.fromEntries(pairs)));
    default:
  }
  return pairs.map(([key, value]) => term(recipe, key, value)).join(recipe.joint);
}

function wholeText(recipe: Recipe, text: string): string {
  if (typeof recipe.text === 'object') return recipe.text.verbatim;
  switch (recipe.text) {
    case 'plain':
      return text;
    case 'percent-encoded':
      return percentEncode(text);
    case 'lower':
      return text.toLowerCase();
    case 'upper':
      return text.toUpperCase();
  }
}

function enters(recipe: Recipe, given: unknown): boolean {
  const value =
    recipe.trimmed === 'before-skipping' && typeof given === 'string' ? trim(given) : given;
  if (value === 0 || value === '0') return recipe.zero === 'kept';
  return recipe.empties !== 'skipped' || !isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function ordered(recipe: Recipe, pairs: Pairs): Pairs {
  // The JSON of a body stands as it was sent, unless it was sorted first.
  if (recipe.terms === 'json' || recipe.terms === 'json-spaced') return pairs;
  const by = (compare: (a: string, b: string) => number): Pairs =>
    [...pairs].sort(([a], [b]) => compare(a, b));
  switch (recipe.order) {
    case 'bytes':
      return by((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    case 'descending':
      return by((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
    case 'locale':
      return by((a, b) => a.localeCompare(b, 'en'));
    case 'ignoring-case':
      return by((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    case 'ignoring-case-upper':
      return by((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1));
    case 'by-value':
      return [...pairs].sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1));
    case 'as-sent':
      return pairs;
  }
}

function term(recipe: Recipe, key: string, value: unknown): string {
  const text = written(recipe, valueText(recipe, value));
  const trimmed = recipe.trimmed === 'both' || recipe.trimmed === 'before-skipping';
  const name = recipe.trimmed === 'none' ? key : trim(key);
  const shown = trimmed ? trim(text) : text;
  switch (recipe.terms) {
    case 'values-only':
      return shown;
    case 'keys-only':
      return name;
    case 'joined-without-equals':
      return name + shown;
    case 'joined-by-colon':
      return `${name}:${shown}`;
    default:
      return `${name}=${shown}`;
  }
}

const EMPTY_TEXT: Readonly<Record<Recipe['empties'], string>> = {
  skipped: '',
  kept: '',
  'kept-as-null': 'null',
  'kept-as-none': 'None',
};

function valueText(recipe: Recipe, value: unknown): string {
  if (value === null || value === undefined) return EMPTY_TEXT[recipe.empties];
  if (typeof value === 'boolean') return value ? '1' : '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value;
  const json = JSON.stringify(value);
  switch (recipe.lists) {
    case 'compact':
      return json.replaceAll('/', '\\/');
    case 'slashes-plain':
      return json;
    case 'escaped':
      return escapeNonAscii(json.replaceAll('/', '\\/'));
    case 'spaced':
      return spacedJson(value);
    case 'comma-joined':
      return Object.values(value).join(',');
  }
}

const escapeNonAscii = (text: string): string =>
  text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** With a space after each colon and comma between values, as Python writes it. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spacedJson(one)}`,
  );
  return `{${members.join(', ')}}`;
}

function written(recipe: Recipe, text: string): string {
  switch (recipe.values) {
    case 'plain':
      return text;
    case 'percent-encoded':
      return percentEncode(text);
    case 'percent-lower':
      return percentEncode(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    case 'percent-slash-kept':
      return percentEncode(text).replaceAll('%2F', '/');
    case 'percent-marks-kept':
      return encodeURIComponent(Buffer.from(text).toString());
    case 'form-encoded':
      return percentEncode(text).replaceAll('%20', '+');
    case 'form-tilde-encoded':
      return percentEncode(text).replaceAll('%20', '+').replaceAll('~', '%7E');
    case 'form-star-kept':
      return percentEncode(text)
        .replaceAll('%20', '+')
        .replaceAll('~', '%7E')
        .replaceAll('%2A', '*');
    case 'numbers-fixed':
      return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text).toFixed(6) : text;
    case 'numbers-normalised':
      return /^[+-]?\d+\.\d+$/.test(text) ? String(Number(text)) : text;
  }
}

/** Through bytes first: a lone surrogate has no percent-encoding and would throw. */
const percentEncode = (text: string): string =>
  encodeURIComponent(Buffer.from(text).toString()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const trim = (text: string): string => text.replace(/^[ \t-\r]+/, '').replace(/[ \t-\r]+$/, '');

function ends(recipe: Recipe, joined: string): string {
  switch (recipe.ends) {
    case 'stripped':
      return joined.replace(/^&+/, '').replace(/&+$/, '');
    case 'kept':
      return joined;
    case 'trailing-ampersand':
      return `${joined}&`;
    case 'leading-ampersand':
      return `&${joined}`;
  }
}

function digest(recipe: Recipe, text: string, signingKey: string): string {
  const bytes = encodeText(text, recipe.charset);
  const key = keyBytesOf(recipe, signingKey);
  if (recipe.algorithm === 'hmac-md5-of-inner') {
    return createHmac('md5', key).update(hash('md5', bytes)).digest('hex');
  }
  if (recipe.algorithm.startsWith('hmac-')) {
    return createHmac(recipe.algorithm.slice(5), key).update(bytes).digest('hex');
  }
  switch (recipe.outer) {
    case 'unkeyed':
      return hash(recipe.algorithm, innerBytes(recipe, bytes));
    case 'key-inside':
      return hash(recipe.algorithm, hash(recipe.algorithm, besideKey(recipe, bytes, key)));
    case 'keyed':
      return hash(recipe.algorithm, besideKey(recipe, innerBytes(recipe, bytes), key));
  }
}

function besideKey(recipe: Recipe, hashed: Uint8Array, key: Uint8Array): Uint8Array {
  const separator = Buffer.from(recipe.separator);
  switch (recipe.keyPlace) {
    case 'last':
      return Buffer.concat([hashed, separator, key]);
    case 'first':
      return Buffer.concat([key, separator, hashed]);
    case 'both-ends':
      return Buffer.concat([key, separator, hashed, separator, key]);
  }
}

function notated({ notation }: Recipe, hex: string): string {
  switch (notation) {
    case 'hex':
      return hex;
    case 'base64':
      return Buffer.from(hex, 'hex').toString('base64');
    case 'base64-of-hex':
      return Buffer.from(hex).toString('base64');
    case 'first-half':
      return hex.slice(0, hex.length / 2);
    case 'middle-half':
      return hex.slice(hex.length / 4, (hex.length * 3) / 4);
  }
}

function innerBytes(recipe: Recipe, bytes: Uint8Array): Uint8Array {
  switch (recipe.inner) {
    case 'lower':
      return Buffer.from(hash(recipe.algorithm, bytes));
    case 'upper':
      return Buffer.from(hash(recipe.algorithm, bytes).toUpperCase());
    case 'raw':
      return hash(recipe.algorithm, bytes, 'buffer');
    case 'none':
      return bytes;
  }
}

function keyBytesOf(recipe: Recipe, signingKey: string): Uint8Array {
  switch (recipe.keyText) {
    case 'as-is':
      return Buffer.from(signingKey);
    case 'trimmed':
      return Buffer.from(signingKey.trim());
    case 'lower':
      return Buffer.from(signingKey.toLowerCase());
    case 'upper':
      return Buffer.from(signingKey.toUpperCase());
    case 'md5':
      return Buffer.from(hash('md5', signingKey));
    case 'from-hex':
      return Buffer.from(signingKey, 'hex');
    case 'from-base64':
      return Buffer.from(signingKey, 'base64');
  }
}
