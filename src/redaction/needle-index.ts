import type { Range } from './encodings.ts';
import { isPublic } from './public-texts.ts';
import { NOBODY, WINDOW_BYTES, WindowMap } from './windows.ts';

/** Shorter secrets, in bytes, occur by chance in any text. */
const SHORTEST_SECRET_BYTES = 4;

/** Hexadecimal digits, as a signature has them. */
const HEX = /^[0-9a-f]+$/i;

/** Bytes of numbers and ids: hexadecimal digits, and hyphens between them. */
const ID = /^[0-9a-f-]+$/i;

/**
 * Digits of an id that a part of a learned secret must have. Eight digits of one of a thousand signatures
 * stand by chance in one of a thousand ids.
 */
const LEAST_DIGITS = 12;

/**
 * Windows that are kept: those of two thousand tokens of two kilobytes, which is more than a check receives.
 * Beyond them, all is hidden that may be a part of a secret.
 */
const MOST_WINDOWS = 1 << 22;

/** A secret to be searched for. */
export interface SoughtSecret {
  readonly text: string;
  /** True for one that the user gave: nothing that a target answers makes a part of it public. */
  readonly isGiven: boolean;
}

/** Bytes that stand for a secret. */
export interface Needle extends SoughtSecret {
  readonly number: number;
  readonly bytes: Buffer;
  /** Windows that name this needle and no other. */
  ownWindows: number;
  /** True if it is found by its last bytes: no window names it. */
  isFoundByTail: boolean;
  /** End of its last match in the bytes that are searched now. */
  matchedTo: number;
}

/** A range of bytes that a needle has too. */
export interface Hit extends Range {
  readonly needle: Needle;
}

/** Finds secrets in bytes: each whole, and any eight bytes of it that no other text has. */
export class NeedleIndex {
  /** Properties of bytes that may be a needle. */
  readonly sought = { least: WINDOW_BYTES, alphabet: new Uint8Array(256) };
  readonly #needles: Needle[] = [];
  readonly #windows = new WindowMap();
  readonly #publicWindows = new WindowMap();
  /** Needles that no window names: the last four bytes of each, and the needles of each of these. */
  readonly #tails = new WindowMap(SHORTEST_SECRET_BYTES);
  readonly #byTail: Needle[][] = [];
  readonly #mostWindows: number;
  #isFull = false;

  /** @param mostWindows windows that are kept of all secrets together */
  constructor(mostWindows: number = MOST_WINDOWS) {
    this.#mostWindows = mostWindows;
  }

  /** True if there are secrets of which not every part can be found. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get isEmpty(): boolean {
    return this.#needles.length === 0;
  }

  add(secret: SoughtSecret): void {
    for (const bytes of spellingsOf(secret.text)) this.#addNeedle(secret, bytes);
  }

  /** Takes the windows of a public text from the secrets that have them. */
  keep(publicText: string): void {
    const bytes = Buffer.from(publicText);
    for (let end = WINDOW_BYTES; end <= bytes.length; end++) {
      if (this.#publicWindows.find(bytes, end) < 0) this.#publicWindows.add(bytes, end, NOBODY);
      const entry = this.#windows.find(bytes, end);
      if (entry >= 0) this.#giveTo(null, entry, 0);
    }
  }

  /** Ranges of the bytes that are a needle or a conclusive part of one. */
  search(bytes: Uint8Array, length: number): readonly Hit[] {
    const hits: Hit[] = [];
    this.#searchWindows(bytes, length, hits);
    if (this.#tails.size > 0) this.#searchTails(bytes, length, hits);
    if (hits.length === 0) return hits;
    for (const { needle } of hits) needle.matchedTo = 0;
    return hits.filter(({ needle, start, end }) => isConclusive(needle, bytes, start, end));
  }

  #addNeedle({ text, isGiven }: SoughtSecret, bytes: Buffer): void {
    if (bytes.length < SHORTEST_SECRET_BYTES) return;
    const needle: Needle = {
      text,
      isGiven,
      number: this.#needles.length,
      bytes,
      ownWindows: 0,
      isFoundByTail: false,
      matchedTo: 0,
    };
    this.#needles.push(needle);
    this.sought.least = Math.min(this.sought.least, bytes.length);
    for (const byte of bytes) this.sought.alphabet[byte] = 1;
    // Each part that is long enough to be told from a number has one of these.
    const step = isGiven || !ID.test(text) ? 1 : LEAST_DIGITS - WINDOW_BYTES + 1;
    const most = this.#mostWindows - this.#windows.size;
    const last = Math.min(bytes.length, WINDOW_BYTES + (most - 1) * step);
    this.#isFull ||= last < bytes.length;
    for (let end = WINDOW_BYTES; end <= last; end += step) this.#claim(needle, end);
    if (needle.ownWindows === 0) this.#findByTail(needle);
  }

  /** Takes the window that ends at a position of a needle, unless it is public or another's. */
  #claim(needle: Needle, end: number): void {
    const { bytes, number, text } = needle;
    const entry = this.#windows.find(bytes, end);
    if (entry < 0) {
      if (isPublic(bytes, end) || this.#publicWindows.find(bytes, end) >= 0) return;
      this.#windows.add(bytes, end, number);
      needle.ownWindows++;
      return;
    }
    const owner = this.#needles[this.#windows.ownerOf(entry)];
    if (owner === undefined || owner.text === text) return;
    const heir = heirOf(owner, needle);
    if (heir !== owner) this.#giveTo(heir, entry, end);
  }

  /** Gives a window that has an owner to another needle, or to nobody. */
  #giveTo(heir: Needle | null, entry: number, end: number): void {
    const owner = this.#needles[this.#windows.ownerOf(entry)];
    this.#windows.give(entry, heir?.number ?? NOBODY, end);
    if (heir) heir.ownWindows++;
    if (owner && --owner.ownWindows === 0) this.#findByTail(owner);
  }

  #findByTail(needle: Needle): void {
    if (needle.isFoundByTail) return;
    needle.isFoundByTail = true;
    const { bytes } = needle;
    const entry = this.#tails.find(bytes, bytes.length);
    if (entry >= 0) this.#byTail[this.#tails.ownerOf(entry)]?.push(needle);
    else this.#tails.add(bytes, bytes.length, this.#byTail.push([needle]) - 1);
  }

  #searchWindows(bytes: Uint8Array, length: number, hits: Hit[]): void {
    const windows = this.#windows;
    for (let from = 0; ; ) {
      const end = windows.next(bytes, length, from, this.sought.alphabet);
      if (end < 0) return;
      from = end + 1;
      const entry = windows.find(bytes, end);
      const needle = entry < 0 ? undefined : this.#needles[windows.ownerOf(entry)];
      if (needle === undefined || end <= needle.matchedTo) continue;
      const range = commonRange(bytes, length, end, needle.bytes, windows.endOf(entry));
      needle.matchedTo = range.end;
      hits.push({ ...range, needle });
      // What lies within a whole secret is hidden with it.
      if (range.end - range.start === needle.bytes.length) from = range.end + 1;
    }
  }

  #searchTails(bytes: Uint8Array, length: number, hits: Hit[]): void {
    for (let from = 0; ; ) {
      const end = this.#tails.next(bytes, length, from, this.sought.alphabet);
      if (end < 0) return;
      from = end + 1;
      const entry = this.#tails.find(bytes, end);
      for (const needle of this.#byTail[entry < 0 ? NOBODY : this.#tails.ownerOf(entry)] ?? []) {
        const start = end - needle.bytes.length;
        if (start < needle.matchedTo || !equals(bytes, start, needle.bytes)) continue;
        needle.matchedTo = end;
        hits.push({ start, end, needle });
      }
    }
  }
}

/** Bytes that stand for a secret, whichever way a text writes it. */
function spellingsOf(secret: string): Buffer[] {
  const texts = [secret];
  // As a form writes it.
  if (secret.includes(' ')) texts.push(secret.replaceAll(' ', '+'));
  const spellings = texts.map((text) => Buffer.from(text));
  if (/^[\0-\xFF]*[\x80-\xFF][\0-\xFF]*$/.test(secret))
    spellings.push(Buffer.from(secret, 'latin1'));
  // Digits are looked for in lower case.
  const lower = secret.toLowerCase();
  if (HEX.test(secret) && lower !== secret) spellings.push(Buffer.from(lower));
  return spellings;
}

/** Needle that a window of both names; null for neither, as the window is no secret of either. */
function heirOf(one: Needle, other: Needle): Needle | null {
  if (one.isGiven !== other.isGiven) return one.isGiven ? one : other;
  if (one.bytes.includes(other.bytes)) return other;
  return other.bytes.includes(one.bytes) ? one : null;
}

/** The longest range that has a window, which ends at both positions, and that a needle has too. */
function commonRange(
  bytes: Uint8Array,
  length: number,
  end: number,
  needle: Uint8Array,
  place: number,
): Range {
  let before = WINDOW_BYTES;
  while (before < Math.min(end, place) && bytes[end - before - 1] === needle[place - before - 1])
    before++;
  let after = 0;
  const most = Math.min(length - end, needle.length - place);
  while (after < most && bytes[end + after] === needle[place + after]) after++;
  return { start: end - before, end: end + after };
}

/** Checks that a range does not look like a part of a learned secret by chance. */
function isConclusive(needle: Needle, bytes: Uint8Array, start: number, end: number): boolean {
  if (needle.isGiven || end - start === needle.bytes.length) return true;
  if (end - start >= 2 * LEAST_DIGITS) return true;
  const part = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  return !ID.test(part) || part.replaceAll('-', '').length >= LEAST_DIGITS;
}

function equals(bytes: Uint8Array, start: number, needle: Uint8Array): boolean {
  for (let at = 0; at < needle.length; at++) if (bytes[start + at] !== needle[at]) return false;
  return true;
}
