import type { KnownWords } from './public-words.ts';

/** Kind of a received text, which decides what of it is suspect. */
export type TextKind =
  /** Answer to a token request. */
  | 'token-answer'
  /** Other text: only fields whose name is a token's are suspect. */
  | 'other'
  /** Text that a client sent. */
  | 'sent';

/** A part of a text that may be a secret. */
export interface Suspect {
  readonly text: string;
  readonly start: number;
}

/** Characters of a run without white space that may be a token. */
const LEAST_RUN = 12;

/** Characters from which a suspect is searched for in all texts; a shorter one may occur by chance. */
export const LEAST_SEARCHED = 8;

/** Characters of a field's name on either side of the word that makes it suspect. */
const LONGEST_NAME = 64;

/** Parts of the names of fields that hold a token or a code. */
const SECRET_NAME =
  /token|jwt|secret|passw|credential|assertion|cookie|(?:auth|authori[sz]ation|access|refresh|user|device|login)[-_.]?code|(?:api|signing|private)[-_.]?key|session[-_.]?id/gi;

/** The same for what a client sends; the code of an answer is that of an error. */
const SENT_SECRET_NAME = new RegExp(`${SECRET_NAME.source}|(?<![\\w.-])code(?![\\w.-])`, 'gi');

/** Ends of names that speak of a token, and hold none. */
const NAME_OF_FACT =
  /(?:type|scopes?|expir[a-z]*|expires?[-_]?(?:in|at)?[-_]?(?:second|s|ms)?s?|seconds?|ttl|endpoint|ur[il]|status|error|errors|count|limit|description|message|hint)$|^error/i;

/** Assignment between the name of a field and its value: of JSON, a form, XML, YAML, and source code. */
const ASSIGNMENT = /\\*["'`]?\s*(?:=>|[:=>])\s*/y;
const QUOTE = /\\*["'`]/y;
const BARE = /[^\s"'`,;&<>{}[\]()\\]+/y;
/** Texts in an array or object: each, and the colon behind the name of a field. */
const INNER = /(["'])((?:(?!\1)[^\\]|\\[^])*)\1(\s*:)?|[^\s"'{}[\],:]+/g;
const LITERAL = /^(?:null|true|false|none|nil|undefined)$/i;
const LINE_START = /(?:^|\n)[ \t]*(?:- )?$/;

/** Values that stay readable up to 32 characters: those of these fields are no secrets. */
const PUBLIC_FIELDS = ['expires_in_second', 'token_type', 'scope'];
const PUBLIC_FIELD = publicField(PUBLIC_FIELDS);
const SENT_PUBLIC_FIELD = publicField([...PUBLIC_FIELDS, 'grant_type', 'nostr', '_']);

function publicField(names: readonly string[]): RegExp {
  const name = `(?:${names.join('|')})`;
  const quoted = `(?<=["'\`])${name}\\\\*["'\`]`;
  const bare = `(?<![\\w."'\`/+=~-])${name}`;
  const value = '([^"\'`\\\\,;&<>{}[\\]\\n]{1,32})(?=["\'`\\\\,;&<>{}[\\]\\n]|$)';
  return new RegExp(`(?:${quoted}|${bare})\\s*(?:=>|[:=>])\\s*\\\\*["'\`]?${value}`, 'g');
}
const ISO_TIME =
  /(?<!\d)(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)(?!\w)/g;

/** Visible ASCII without quotes and backslashes. */
const RUN = /[!#-&(-[\]-_a-~]{8,}/g;
const QUOTES = new Set(['"', "'", '`']);
/** Characters that end a token where it is not quoted. */
const BOUNDARY = /[,;&<>(){}[\]]+/;
const NUMBER = /(?<![\w.])(?<!\w-)(\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?(?!\w|[.-]\w)/g;
const LEAST_DIGITS = 9;
const WHOLE_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Words, and codes of errors. */
const READABLE = /^(?:[A-Z]?[a-z]+(?:[-_.][A-Z]?[a-z]+)*|[A-Z]+(?:_[A-Z]+)+)?$/;
const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z]+)+$/;
/** Characters between a name and a value, or around values, where no quotes are. */
const EDGE = new Set('=:|@?#,;&<>(){}[]');
const PUNCTUATION_AROUND = /^[.!?*-]+|[.!?*]+$/g;

/**
 * Finds what may be a secret in a received text that need not be understood: values of fields that are named
 * like a token or a code, runs of 12 characters without white space, and numbers of nine digits. Words, codes
 * of errors, times, and what is public stay.
 */
export function suspectsIn(text: string, kind: TextKind, known: KnownWords): Suspect[] {
  const named = namedValues(text, kind).filter((one) => !known.has(one.text));
  return kind === 'other' ? named : [...named, ...longRuns(text, kind, known)];
}

/** Values of fields that are named like a token or a code, whatever their length. */
export function namedValues(text: string, kind: TextKind): Suspect[] {
  const found: Suspect[] = [];
  const isName = kind === 'sent' ? SENT_SECRET_NAME : SECRET_NAME;
  let readTo = 0;
  for (const { 0: word, index } of text.matchAll(isName)) {
    if (index < readTo) continue;
    const start = boundOf(text, index, -1);
    const nameEnd = boundOf(text, index + word.length, 1);
    readTo = nameEnd;
    if (NAME_OF_FACT.test(text.slice(start, nameEnd))) continue;
    readTo = addValues(text, start, nameEnd, found);
  }
  return found;
}

/** Checks whether a text may have such a field; most answers have none. */
export function mayHaveSecretName(text: string, kind: TextKind): boolean {
  return text.search(kind === 'sent' ? SENT_SECRET_NAME : SECRET_NAME) >= 0;
}

/** Checks whether a field that a client sends is named like a token or a code. */
export function isSecretName(name: string): boolean {
  return name.search(SENT_SECRET_NAME) >= 0 && !NAME_OF_FACT.test(name);
}

/** End of a name in one direction. */
function boundOf(text: string, from: number, step: -1 | 1): number {
  let at = from;
  const isOfName = (): boolean => /[\w$.-]/.test(text.charAt(step < 0 ? at - 1 : at));
  while (Math.abs(at - from) < LONGEST_NAME && isOfName()) at += step;
  return at;
}

/** Adds the values of the field with the name in a range, if it is one; returns where reading continues. */
function addValues(text: string, start: number, end: number, found: Suspect[]): number {
  const assignment = matchAt(ASSIGNMENT, text, end);
  const valueAt = end + assignment.length;
  const before = text.charAt(start - 1);
  if (assignment === '') return end;
  if (assignment.trim() === '>' && before !== '<' && before !== ':') return end;
  const quote = matchAt(QUOTE, text, valueAt);
  if (quote !== '') {
    const from = valueAt + quote.length;
    const to = endOfQuoted(text, from, quote);
    found.push(...suspect(text.slice(from, to), from));
    return to;
  }
  if (/[{[]/.test(text.charAt(valueAt))) return addInner(text, valueAt, found);
  // A sentence may speak of a token, and have a colon.
  const isSentence =
    /^:\s/.test(assignment) && !LINE_START.test(text.slice(Math.max(0, start - 16), start));
  const bare = matchAt(BARE, text, valueAt);
  if (!isSentence && !LITERAL.test(bare)) found.push(...suspect(bare, valueAt));
  return end;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function suspect(text: string, start: number): Suspect[] {
  return text.trim() === '' ? [] : [{ text, start }];
}

function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = from; ; ) {
    const end = text.indexOf(quote, at);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charAt(end - 1 - backslashes) === '\\') backslashes++;
    if (quote.length > 1 || backslashes % 2 === 0) return end;
    at = end + 1;
  }
}

/** Adds the texts and numbers of an array or object that is the value of such a field; returns its end. */
function addInner(text: string, start: number, found: Suspect[]): number {
  const end = endOfBrackets(text, start);
  let name = '';
  for (const match of text.slice(start, end).matchAll(INNER)) {
    const { 0: bare, 1: quote, 2: quoted = '', 3: colon, index } = match;
    if (colon !== undefined) name = quoted;
    else if (!NAME_OF_FACT.test(name)) {
      if (quote !== undefined) found.push(...suspect(quoted, start + index + 1));
      else if (!LITERAL.test(bare)) found.push({ text: bare, start: start + index });
    }
  }
  return end;
}

function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const one = text.charAt(at);
    if (one === '"') at = endOfQuoted(text, at + 1, one);
    else if (one === '{' || one === '[') depth++;
    else if (one === '}' || one === ']') depth--;
    if (depth === 0) return at;
  }
  return text.length;
}

/**
 * Runs without white space that are no words, and numbers of nine digits.
 *
 * @param least characters of a run
 */
export function longRuns(
  text: string,
  kind: TextKind,
  known: KnownWords,
  least: number = LEAST_RUN,
): Suspect[] {
  const read = [kind === 'sent' ? SENT_PUBLIC_FIELD : PUBLIC_FIELD, ISO_TIME].reduce(blank, text);
  const found: Suspect[] = [];
  for (const { 0: run, index } of read.matchAll(RUN)) {
    const before = read.charAt(index - 1);
    const isQuoted =
      QUOTES.has(before) && before === read.charAt(index + run.length) && !/^[:,\]})]/.test(run);
    for (const part of isQuoted ? [run] : run.split(BOUNDARY)) {
      const core = part.length < least ? '' : coreOf(part, known);
      if (core.length >= least && !WHOLE_NUMBER.test(core) && !known.has(core))
        found.push({ text: core, start: read.indexOf(core, index) });
    }
  }
  for (const { 1: number = '', index } of read.matchAll(NUMBER)) {
    const isLong = number.replace('.', '').length >= LEAST_DIGITS;
    if (isLong && !known.has(number) && !known.hasTime(number))
      found.push({ text: number, start: index });
  }
  return found;
}

/** Replaces the last group of each match by spaces. */
function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match, value: string) => {
    return match.slice(0, match.length - value.length) + ' '.repeat(value.length);
  });
}

/** A run without the names, words and punctuation around what may be a token; empty if it is all words. */
function coreOf(run: string, known: KnownWords): string {
  const isReadable = (word: string): boolean => READABLE.test(word) || known.has(word);
  if (run.split(/[^\w.-]+/).every(isReadable)) return '';
  let start = 0;
  for (let end = edgeOf(run, start, 1); end < run.length; end = edgeOf(run, start, 1)) {
    const name = run.slice(start, end);
    if (!isReadable(name) && !CAMEL_CASE.test(name)) break;
    // Padding ends a token.
    if (/^=+$/.test(run.slice(end, end + LEAST_RUN))) break;
    start = end + 1;
  }
  let end = run.length;
  for (let at = edgeOf(run, end, -1); at > start; at = edgeOf(run, end, -1)) {
    if (!isReadable(run.slice(at, end))) break;
    end = at - 1;
  }
  return run.slice(start, end).replace(PUNCTUATION_AROUND, '');
}

/** Position of the next edge in one direction, or of the end of the text there. */
function edgeOf(run: string, from: number, step: -1 | 1): number {
  let at = from;
  const next = (): string => run.charAt(step < 0 ? at - 1 : at);
  while (next() !== '' && !EDGE.has(next())) at += step;
  return at;
}
