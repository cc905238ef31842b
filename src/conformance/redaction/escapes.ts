/** A text without its escapes, with the position of each character in the original. */
export interface DecodedText {
  readonly text: string;
  /** Position of each character in the original, and at the end the length of the original. */
  readonly places: ArrayLike<number>;
}

type Escapes = Readonly<Record<string, string>>;
const NAMED_ENTITIES: Escapes = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** A backslash before any other character stands for that character. */
const CONTROL_ESCAPES: Escapes = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const ESCAPE =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["'\\/bfnrt])|((?:%[0-9a-f]{2})+)|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(amp|lt|gt|quot|apos);/gi;

/** The start of an escape: an ampersand between two parameters is none. */
const ESCAPE_START = /\\["'\\/bfnrtux]|%[0-9a-f]{2}|&(?:#|amp;|lt;|gt;|quot;|apos;)/i;

/**
 * Resolves the escapes of JSON and JavaScript, percent-encoding, and HTML character references in
 * one pass, since it is unknown which of them a text uses.
 *
 * @returns null if there is no escape
 */
export function decodeEscapes(original: string): DecodedText | null {
  if (!ESCAPE_START.test(original)) return null;
  const parts: string[] = [];
  // No escape is shorter than what it stands for.
  const places = new Int32Array(original.length + 1);
  let length = 0;
  let copied = 0;
  const copyTo = (end: number): void => {
    parts.push(original.slice(copied, end));
    for (let at = copied; at < end; at++) places[length++] = at;
  };
  for (const match of original.matchAll(ESCAPE)) {
    copyTo(match.index);
    copied = match.index + match[0].length;
    for (const { text, place } of decodeOne(match)) {
      parts.push(text);
      for (let unit = 0; unit < text.length; unit++) places[length++] = match.index + place;
    }
  }
  if (copied === 0) return null;
  copyTo(original.length);
  places[length] = original.length;
  return { text: parts.join(''), places };
}

/** A character of an escape, and its offset in the escape. */
interface Decoded {
  readonly text: string;
  readonly place: number;
}

function decodeOne(match: RegExpMatchArray): readonly Decoded[] {
  const [, unicode, hex, short, percents, decimal, hexReference, name] = match;
  if (percents !== undefined) return decodePercents(percents);
  const code = unicode ?? hex;
  let text: string | undefined;
  if (code !== undefined) text = String.fromCharCode(Number.parseInt(code, 16));
  else if (short !== undefined) text = CONTROL_ESCAPES[short.toLowerCase()] ?? short;
  else if (decimal !== undefined) text = characterOf(Number(decimal));
  else if (hexReference !== undefined) text = characterOf(Number.parseInt(hexReference, 16));
  else if (name !== undefined) text = NAMED_ENTITIES[name.toLowerCase()];
  return [{ text: text ?? match[0], place: 0 }];
}

function characterOf(codePoint: number): string {
  return codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : '\uFFFD';
}

/** Decodes bytes as UTF-8 if they are valid, else as Latin-1. */
function decodePercents(text: string): Decoded[] {
  const bytes = Buffer.from(text.replaceAll('%', ''), 'hex');
  const decoded: Decoded[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = utf8Length(bytes, at);
    const slice = bytes.subarray(at, at + length);
    decoded.push({ text: slice.toString(length === 1 ? 'latin1' : 'utf8'), place: 3 * at });
    at += length;
  }
  return decoded;
}

/** Length of the UTF-8 sequence at a position; 1 if there is none. */
function utf8Length(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  const rest = bytes.subarray(at + 1, at + length);
  return rest.length === length - 1 && rest.every((byte) => byte >> 6 === 2) ? length : 1;
}

/** A text to search for, and the secret that it reveals. */
export interface Needle {
  readonly text: string;
  readonly secret: string;
  /** Number of leading characters that reveal enough of the secret to be redacted. */
  readonly prefix: number;
}

/** Minimum length of a prefix that is redacted: it may be most of the secret. */
const SHORTEST_PREFIX = 8;
/** Minimum length of a needle: shorter ones occur by chance in any text. */
const SHORTEST_NEEDLE = 4;

/** Hexadecimal, like a signature: the secret is the same in either case. */
const HEX = /^[0-9a-f]+$/i;

/** A text without escapes that is the same in UTF-8 and in Latin-1, as most secrets are. */
const PLAIN = /^[\w.~-]*$/;

/**
 * Texts to search for in a text of which up to `layers` layers of escapes are resolved: the secret
 * itself, its encodings, and, since a secret may look like an escape, its resolved forms.
 */
export function needlesOf(secret: string, layers: number): readonly Needle[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const hex = bytes.toString('hex');
  const isPlain = PLAIN.test(secret);
  const texts = [
    secret,
    ...(isPlain ? [] : misreadings(secret, bytes)),
    ...(HEX.test(secret) ? [secret.toLowerCase(), secret.toUpperCase()] : []),
  ];
  // A shorter prefix shows fewer characters of the secret, and numbers may contain it by chance.
  const prefixes = new Map([
    [hex, 2 * SHORTEST_PREFIX],
    [hex.toUpperCase(), 2 * SHORTEST_PREFIX],
    [base64, Math.ceil((4 * SHORTEST_PREFIX) / 3)],
    [base64.replaceAll('+', '-').replaceAll('/', '_'), Math.ceil((4 * SHORTEST_PREFIX) / 3)],
    ...texts.map((text) => [text, SHORTEST_PREFIX] as const),
  ]);
  const needles = [...prefixes].map(([text, prefix]) => ({ text, secret, prefix }));
  let resolved = isPlain ? undefined : decodeEscapes(secret)?.text;
  for (let layer = 0; layer < layers && resolved !== undefined; layer++) {
    const shorterBy = secret.length - resolved.length;
    const prefix = Math.max(SHORTEST_NEEDLE, SHORTEST_PREFIX - shorterBy);
    if (resolved.length >= SHORTEST_NEEDLE) needles.push({ text: resolved, secret, prefix });
    resolved = decodeEscapes(resolved)?.text;
  }
  return needles;
}

function misreadings(secret: string, bytes: Buffer): string[] {
  const latin1 = bytes.toString('latin1');
  // UTF-8 bytes read as Latin-1, as in headers, and once more where a server wrote those as UTF-8.
  const twice = Buffer.from(latin1, 'utf8').toString('latin1');
  return [secret.replaceAll(' ', '+'), latin1, twice];
}
