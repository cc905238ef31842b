import { decodeEscapes } from './decoded-text.ts';
import { type Needle, needlesOf } from './needles.ts';

/** What a secret is; it names its pseudonym. */
export type SecretKind =
  | 'signing_key'
  | 'signature'
  | 'access_token'
  | 'refresh_token'
  | 'auth_code'
  | 'control_token'
  | 'header';

/** Shorter ones would be found by chance in any text, and hide nothing worth hiding. */
const SHORTEST_SECRET = 4;

/** Escapes within escapes that are resolved, such as JSON within JSON, or a doubly encoded URL. */
const DEEPEST_ESCAPE = 3;

/** A word that a sentence of our own may hold by chance. */
const WORD = /^\p{L}{1,11}$/u;

/** Secrets that people choose, and not a service at random. */
const CHOSEN: ReadonlySet<SecretKind> = new Set(['signing_key', 'control_token', 'header']);

/** A place in a text where a secret, or the beginning of one, stands in some spelling. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly secret: string;
  readonly isWhole: boolean;
}

/** What of a text is redacted. */
export interface RedactOptions {
  /** The secrets to replace; left out, all. */
  readonly only?: Iterable<string>;
  /** Where the text is to be cut; a secret that lies across the cut is replaced whole. */
  readonly end?: number;
}

/**
 * Replaces secrets by stable pseudonyms such as `[access_token 3]`: same secret, same pseudonym, so
 * that redacted texts can still be compared. A secret is found by its value in whatever spelling:
 * escaped as JSON, URL or HTML, several times over, in hex or Base64, in the other case if it is
 * hexadecimal; and so is its beginning, from 8 characters on, as `[part of access_token 3]`.
 */
export class Redactor {
  readonly #pseudonyms = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Needles by their first characters: one look-up at each place finds all that may start there. */
  readonly #needles = new Map<string, Needle[]>();
  /** Secrets that a sentence may hold as a word. */
  readonly #words = new Set<string>();
  readonly #pseudonymFor: (secret: string) => string | undefined;
  readonly #onAdded: (secret: string, pseudonym: string) => void;

  /**
   * @param pseudonymFor of a secret that an earlier part of the run knew
   * @param onAdded told of each secret and the pseudonym that it was given
   */
  constructor(
    pseudonymFor: (secret: string) => string | undefined = () => undefined,
    onAdded: (secret: string, pseudonym: string) => void = () => undefined,
  ) {
    this.#pseudonymFor = pseudonymFor;
    this.#onAdded = onAdded;
  }

  /** Makes a secret known; `label` stands for the number, as in `[signing_key p-100]`. */
  add(kind: SecretKind, secret: string, label?: string): string {
    const known = this.#pseudonyms.get(secret);
    if (known !== undefined) return known;
    const earlier = this.#pseudonymFor(secret);
    const pseudonym = earlier ?? `[${kind} ${label ?? this.#nextNumber(kind)}]`;
    this.#pseudonyms.set(secret, pseudonym);
    if (CHOSEN.has(kind) && WORD.test(secret)) this.#words.add(secret);
    if (secret.length >= SHORTEST_SECRET) {
      for (const needle of needlesOf(secret, DEEPEST_ESCAPE)) this.#keep(needle);
    }
    // What has a label has the same one every time.
    if (earlier === undefined && label === undefined) this.#onAdded(secret, pseudonym);
    return pseudonym;
  }

  /** Continues the numbering after a pseudonym that an earlier part of the run gave. */
  skip(pseudonym: string): void {
    const [, kind = '', number] = /^\[(\S+) (\d+)\]$/.exec(pseudonym) ?? [];
    if (number === undefined) return;
    this.#counts.set(kind, Math.max(this.#counts.get(kind) ?? 0, Number(number)));
  }

  /** Replaces each secret in what was sent or received. */
  redact(text: string, { only, end = text.length }: RedactOptions = {}): string {
    const wanted = only && new Set(only);
    return this.#replace(text, end, (secret) => wanted?.has(secret) ?? true);
  }

  /**
   * Replaces each secret in a sentence of our own, which may quote what was received. A chosen secret
   * that is an ordinary word (a signing key `wrong`) stays: it cannot be told from the word.
   */
  redactSentence(text: string): string {
    return this.#replace(text, text.length, (secret) => !this.#words.has(secret));
  }

  #replace(text: string, end: number, isWanted: (secret: string) => boolean): string {
    const parts: string[] = [];
    let kept = 0;
    for (const match of merged(this.#matchesIn(text, isWanted))) {
      if (match.start >= end) break;
      const pseudonym = this.#pseudonyms.get(match.secret) ?? '';
      const shown = match.isWhole ? pseudonym : `[part of ${pseudonym.slice(1)}`;
      parts.push(text.slice(kept, match.start), shown);
      kept = match.end;
    }
    return parts.join('') + text.slice(kept, Math.max(kept, end));
  }

  /** Looks through the text as it is, and then without its escapes, layer by layer. */
  #matchesIn(text: string, isWanted: (secret: string) => boolean): Match[] {
    const matches = this.#scan(text, isWanted);
    let layer = text;
    let placeOf = (at: number): number => at;
    for (let depth = 0; depth < DEEPEST_ESCAPE; depth++) {
      const decoded = decodeEscapes(layer);
      if (decoded === null) break;
      const [outer, { places }] = [placeOf, decoded];
      placeOf = (at) => outer(places[at] ?? 0);
      layer = decoded.text;
      for (const found of this.#scan(layer, isWanted)) {
        matches.push({ ...found, start: placeOf(found.start), end: placeOf(found.end) });
      }
    }
    return matches;
  }

  #scan(text: string, isWanted: (secret: string) => boolean): Match[] {
    const matches: Match[] = [];
    for (let at = 0; at + SHORTEST_SECRET <= text.length; ) {
      const found = this.#longestAt(text, at, isWanted);
      if (found) matches.push(found);
      at = found?.end ?? at + 1;
    }
    return matches;
  }

  /** A secret that holds another one wins over it, or a part of it would stay. */
  #longestAt(text: string, at: number, isWanted: (secret: string) => boolean): Match | null {
    let longest: Match | null = null;
    for (const needle of this.#needles.get(text.slice(at, at + SHORTEST_SECRET)) ?? []) {
      if (!isWanted(needle.secret)) continue;
      const length = commonLength(text, at, needle.text);
      const isWhole = length === needle.text.length;
      if (!isWhole && length < needle.prefix) continue;
      if (longest && at + length <= longest.end && (longest.isWhole || !isWhole)) continue;
      longest = { start: at, end: at + length, secret: needle.secret, isWhole };
    }
    return longest;
  }

  #nextNumber(kind: SecretKind): number {
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    return number;
  }

  #keep(needle: Needle): void {
    const start = needle.text.slice(0, SHORTEST_SECRET);
    const others = this.#needles.get(start);
    if (others) others.push(needle);
    else this.#needles.set(start, [needle]);
  }
}

/** How many characters of a needle stand at a place of a text. */
function commonLength(text: string, at: number, needle: string): number {
  if (text.startsWith(needle, at)) return needle.length;
  let length = 0;
  while (length < needle.length && text[at + length] === needle[length]) length++;
  return length;
}

/** Matches in order and apart: those that overlap become one, named after the whole or longest. */
function merged(matches: readonly Match[]): Match[] {
  const apart: Match[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (!last || match.start >= last.end) apart.push(match);
    else if (match.end > last.end || (match.end === last.end && match.isWhole && !last.isWhole)) {
      const named = match.isWhole && !last.isWhole ? match : last;
      apart[apart.length - 1] = { ...named, start: last.start, end: match.end };
    }
  }
  return apart;
}
