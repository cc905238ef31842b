import { hash } from 'node:crypto';
import type { TextChange } from './notations.ts';

/** Key and value pairs in the order sent. */
export type Pairs = readonly (readonly [key: string, value: unknown])[];

export type Bytes = string | Uint8Array;
/** A hash algorithm, in lower-case hex. */
type Hash = (bytes: Bytes) => string;

/**
 * A signature algorithm in which each step is a choice, so that wrong choices of a client can be
 * tried. {@link DOCUMENTED_RECIPE} has the right ones (interface.md, "Signature algorithm").
 */
export interface Recipe {
  /** Changes the pairs before they are signed. */
  readonly fields: (pairs: Pairs) => Pairs;
  readonly order: (pairs: Pairs) => Pairs;
  /** Text of null, with which empty values are kept; null skips them. */
  readonly empties: string | null;
  readonly zero: 'kept' | 'text-dropped' | 'dropped';
  readonly trimmed: 'both' | 'none' | 'keys-only' | 'before-skipping';
  readonly lists: (value: object, slash: string) => string;
  /** Spelling of a slash in the JSON of a list. */
  readonly slash: string;
  /** Encoding of a value. */
  readonly values: TextChange;
  /** Texts of true and false; an empty one is skipped as an empty value is. */
  readonly booleans: readonly [yes: string, no: string];
  /** Term of a pair. */
  readonly terms: (name: string, value: string) => string;
  /** Text of all pairs, in place of joined terms. */
  readonly written: ((signed: Pairs, sent: Pairs, recipe: Recipe) => string) | null;
  /** Separator between two terms. */
  readonly joint: string;
  /** Treatment of the ends of the joined terms. */
  readonly ends: TextChange;
  /** Change of the whole text. */
  readonly text: TextChange;
  readonly charset: (text: string) => Uint8Array;
  readonly hash: Hash;
  readonly inner: (text: Uint8Array, hash: Hash) => Bytes;
  readonly outer: (recipe: Recipe, text: Uint8Array, key: Bytes) => string;
  /** Puts hashed text, separator and key in order. */
  readonly keyPlace: (hashed: Bytes, separator: string, key: Bytes) => readonly Bytes[];
  /** Separator between the key and the hashed text. */
  readonly separator: string;
  /** Text or bytes taken for the key; null for a key that cannot be decoded. */
  readonly keyText: (key: string) => Bytes | null;
  readonly notation: TextChange;
}

/** The documented algorithm. */
export const DOCUMENTED_RECIPE: Recipe = {
  fields: (pairs) => pairs,
  order: byKey((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  empties: null,
  zero: 'kept',
  trimmed: 'both',
  lists: (value, slash) => JSON.stringify(value).replaceAll('/', slash),
  slash: '\\/',
  values: (text) => text,
  booleans: ['1', ''],
  terms: (name, value) => `${name}=${value}`,
  written: null,
  joint: '&',
  ends: stripped,
  text: (text) => text,
  charset: (text) => Buffer.from(text),
  hash: (bytes) => hash('md5', bytes),
  inner: (text, digest) => digest(text),
  outer: (recipe, text, key) => recipe.hash(withKey(recipe, recipe.inner(text, recipe.hash), key)),
  keyPlace: (hashed, separator, key) => [hashed, separator, key],
  separator: '',
  keyText: (key) => key,
  notation: (hex) => hex,
};

/** Parts of a recipe, in the order of the algorithm. */
export const PARTS = Object.keys(DOCUMENTED_RECIPE) as readonly (keyof Recipe)[];

/** An order of pairs by their keys. */
export function byKey(compare: (a: string, b: string) => number): Recipe['order'] {
  return (pairs) => [...pairs].sort(([a], [b]) => compare(a, b));
}

/** Strips `&` at both ends. */
function stripped(text: string): string {
  return text.replace(/^&+/, '').replace(/(?<!&)&+$/, '');
}

/** Puts texts before and after the joined terms. */
export function around(before: string, after: string): Recipe['ends'] {
  return (text) => before + stripped(text) + after;
}

/** Concatenates texts and bytes. */
export function joined(...parts: readonly Bytes[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)));
}

/** The hashed text and the key, as they are hashed together. */
export function withKey({ keyPlace, separator }: Recipe, hashed: Bytes, key: Bytes): Buffer {
  return joined(...keyPlace(hashed, separator, key));
}

/** Signs by a recipe; the signature is empty if the recipe cannot use the key. */
export function signBy(
  recipe: Recipe,
  sent: Pairs,
  signingKey: string,
): { readonly signedText: string; readonly signature: string } {
  const signedText = textBy(recipe, sent);
  return { signedText, signature: digestBy(recipe, signedText, signingKey) };
}

/** The signature of a text that is signed; empty if the recipe cannot use the key. */
export function digestBy(recipe: Recipe, signedText: string, signingKey: string): string {
  const key = recipe.keyText(signingKey);
  return key === null ? '' : recipe.notation(recipe.outer(recipe, recipe.charset(signedText), key));
}

/** The text S that is signed. */
export function textBy(recipe: Recipe, sent: Pairs): string {
  const pairs = recipe.fields(sent);
  const signed = recipe.order(pairs.filter(([, value]) => isSigned(recipe, value)));
  const { written, terms, trimmed, joint } = recipe;
  const name = trimmed === 'none' ? (key: string) => key : trim;
  const text =
    written?.(signed, pairs, recipe) ??
    signed.map(([key, value]) => terms(name(key), valueText(recipe, value))).join(joint);
  return recipe.text(recipe.ends(text));
}

function isSigned({ trimmed, zero, empties, booleans }: Recipe, given: unknown): boolean {
  const value = trimmed === 'before-skipping' && typeof given === 'string' ? trim(given) : given;
  if (value === '0') return zero === 'kept';
  if (value === 0) return zero !== 'dropped';
  return empties !== null || !isEmpty(value, booleans);
}

function isEmpty(value: unknown, [yes, no]: Recipe['booleans']): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value === 'boolean') return (value ? yes : no) === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function valueText(recipe: Recipe, value: unknown): string {
  const text = recipe.values(plainText(recipe, value));
  return recipe.trimmed === 'both' || recipe.trimmed === 'before-skipping' ? trim(text) : text;
}

function plainText({ empties, lists, slash, booleans }: Recipe, value: unknown): string {
  if (value === null || value === undefined) return empties ?? '';
  if (typeof value === 'object') return lists(value, slash);
  if (typeof value === 'boolean') return booleans[value ? 0 : 1];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Strips ASCII whitespace at both ends. */
function trim(text: string): string {
  return text.replace(/^[ \t-\r]+/, '').replace(/(?<![ \t-\r])[ \t-\r]+$/, '');
}

/** A known way to sign wrongly: one part of the recipe, chosen wrongly. */
export interface Mistake {
  /** Permanent id, such as `order-locale`. */
  readonly id: string;
  /** The mistake, as a predicate of "the signature": `is made of unsorted pairs`. */
  readonly statement: string;
  /** The right way. */
  readonly advice: string;
  /** The part of the recipe that is wrong; two mistakes in one part exclude each other. */
  readonly part: keyof Recipe;
  readonly apply: (recipe: Recipe) => Recipe;
}

/** A mistake, and what it changes in the recipe. */
export type MistakeRow = readonly [id: string, statement: string, changes: Partial<Recipe>];

/** A mistake, and how it changes a text. */
export type TextRow = readonly [id: string, statement: string, change: TextChange];

/** Rows that share an id. */
export function alike<Change>(
  id: string,
  rows: readonly (readonly [statement: string, change: Change])[],
): (readonly [id: string, statement: string, change: Change])[] {
  return rows.map(([statement, change]) => [id, statement, change] as const);
}

/** Mistakes that share an advice. */
export function advised(advice: string, rows: readonly MistakeRow[]): Mistake[] {
  return rows.map(([id, statement, changes]) => {
    const [part = 'fields'] = Object.keys(changes) as (keyof Recipe)[];
    const { fields } = changes;
    const apply: Mistake['apply'] = (recipe) => ({
      ...recipe,
      ...changes,
      // Two mistakes in the fields may meet.
      ...(fields && { fields: (pairs) => fields(recipe.fields(pairs)) }),
    });
    return { id, statement, advice, part, apply };
  });
}

/** Mistakes in one part of the recipe that share an advice. */
export function choices<Part extends keyof Recipe>(
  part: Part,
  advice: string,
  rows: readonly (readonly [id: string, statement: string, wrong: Recipe[Part]])[],
): Mistake[] {
  return advised(
    advice,
    rows.map(([id, statement, wrong]) => [id, statement, { [part]: wrong }]),
  );
}
