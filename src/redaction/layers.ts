/** A text, or what it reads without some of its escapes. */
export interface Layer {
  readonly text: string;
  /**
   * Position of each character in the original text, and at the end the length of that; null for the
   * original itself.
   */
  readonly places: Int32Array | null;
}

/** Layers of escapes that are removed, such as of a URL that is percent-encoded four times. */
const DEEPEST = 4;

/**
 * Characters that layers of several kinds of escapes may have in all, as a multiple of the text, and at
 * least: a text that is escaped in every order has a hundred of them.
 */
const MIXED_SHARE = 4;
const MIXED_LEAST = 1 << 16;

/** A kind of escapes. */
interface Escapes {
  /** Checks quickly whether a text may have any. */
  readonly mayBeIn: (text: string) => boolean;
  readonly pattern: RegExp;
  /** Resolves one match: hands over each part of what it stands for, and where in the match it begins. */
  readonly resolve: (match: string, put: (text: string, at: number) => void) => void;
}

const CONTROL: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Character references of HTML for ASCII, by name. */
const NAMED: Readonly<Record<string, string>> = {
  Tab: '\t',
  NewLine: '\n',
  nbsp: '\u00A0',
  excl: '!',
  quot: '"',
  num: '#',
  dollar: '$',
  percnt: '%',
  amp: '&',
  apos: "'",
  lpar: '(',
  rpar: ')',
  ast: '*',
  midast: '*',
  plus: '+',
  comma: ',',
  period: '.',
  sol: '/',
  colon: ':',
  semi: ';',
  lt: '<',
  equals: '=',
  gt: '>',
  quest: '?',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  bsol: '\\',
  rsqb: ']',
  rbrack: ']',
  Hat: '^',
  lowbar: '_',
  grave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  rcub: '}',
  rbrace: '}',
};

/** Each kind is resolved by itself: a secret may hold what looks like an escape of another kind. */
const KINDS: readonly Escapes[] = [
  {
    mayBeIn: (text) => text.includes('%'),
    pattern: /(?:%[0-9a-f]{2})+|%u[0-9a-f]{4}/gi,
    resolve: (match, put) => {
      if (/^%u/i.test(match)) put(unitOf(match.slice(2)), 0);
      else resolveBytes(Buffer.from(match.replaceAll('%', ''), 'hex'), 3, put);
    },
  },
  {
    // JSON and JavaScript; a backslash before any other character stands for that character.
    mayBeIn: (text) => text.includes('\\'),
    pattern:
      /\\(?:u[0-9a-fA-F]{4}|u\{0*[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{1,3}|[^])/g,
    resolve: (match, put) => {
      const [, first = ''] = match;
      const code = match.slice(2).replaceAll(/[{}]/g, '');
      if (/[uUx]/.test(first) && code !== '') put(characterOf(Number.parseInt(code, 16)), 0);
      else if (/[0-7]/.test(first)) put(characterOf(Number.parseInt(match.slice(1), 8)), 0);
      else put(CONTROL[first] ?? match.slice(1), 0);
    },
  },
  {
    mayBeIn: (text) => text.includes('&'),
    pattern: /&(?:#0*\d{1,7}|#x0*[0-9a-f]{1,6}|[a-z]{2,7}(?=;));?/gi,
    resolve: (match, put) => {
      const [, hex, decimal, name = ''] = /^&(?:#x(\w+)|#(\d+)|(\w+));?$/i.exec(match) ?? [];
      if (hex !== undefined) put(characterOf(Number.parseInt(hex, 16)), 0);
      else if (decimal !== undefined) put(characterOf(Number(decimal)), 0);
      else put(NAMED[name] ?? NAMED[name.toLowerCase()] ?? match, 0);
    },
  },
  {
    // UTF-8 that was read as Latin-1, as Node reads headers.
    mayBeIn: (text) => /[\xC2-\xF4][\x80-\xBF]/.test(text),
    pattern: /[\x80-\xFF]+/g,
    resolve: (match, put) => resolveBytes(Buffer.from(match, 'latin1'), 1, put),
  },
];

/**
 * A text and what it reads without its escapes, those of one kind after the other, in every order, up to
 * four layers deep. Layers of one kind always come; those of several kinds, while they are short.
 */
export function layersOf(text: string): readonly Layer[] {
  const original: Layer = { text, places: null };
  if (!KINDS.some((kind) => kind.mayBeIn(text))) return [original];
  const layers = [original];
  const seen = new Set([text]);
  let mixedLeft = Math.max(MIXED_LEAST, MIXED_SHARE * text.length);
  let last: { readonly layer: Layer; readonly kind: Escapes | null }[] = [
    { layer: original, kind: null },
  ];
  for (let depth = 1; depth <= DEEPEST && last.length > 0; depth++) {
    const next: typeof last = [];
    for (const { layer, kind: outer } of last) {
      for (const kind of KINDS) {
        const isMixed = depth > 1 && kind !== outer;
        if (isMixed && mixedLeft < layer.text.length) continue;
        const resolved = resolve(layer, kind);
        if (resolved === null || seen.has(resolved.text)) continue;
        if (isMixed) mixedLeft -= layer.text.length;
        seen.add(resolved.text);
        layers.push(resolved);
        next.push({ layer: resolved, kind: isMixed ? MIXED : kind });
      }
    }
    last = next;
  }
  return layers;
}

/** Stands for the kind of a layer that several were resolved for. */
const MIXED: Escapes = { mayBeIn: () => false, pattern: /(?!)/, resolve: () => {} };

/** Resolves the escapes of one kind; null if there are none. */
function resolve({ text, places: outer }: Layer, kind: Escapes): Layer | null {
  if (!kind.mayBeIn(text)) return null;
  const parts: string[] = [];
  // No escape is shorter than what it stands for.
  const places = new Int32Array(text.length + 1);
  const placeOf = (at: number): number => outer?.[at] ?? at;
  let length = 0;
  let copied = 0;
  const copyTo = (end: number): void => {
    if (end > copied) parts.push(text.slice(copied, end));
    for (let at = copied; at < end; at++) places[length++] = placeOf(at);
    copied = end;
  };
  for (const { 0: match, index } of text.matchAll(kind.pattern)) {
    copyTo(index);
    kind.resolve(match, (part, at) => {
      parts.push(part);
      for (let unit = 0; unit < part.length; unit++) places[length++] = placeOf(index + at);
    });
    copied = index + match.length;
  }
  if (copied === 0) return null;
  copyTo(text.length);
  places[length] = placeOf(text.length);
  return { text: parts.join(''), places };
}

function unitOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function characterOf(codePoint: number): string {
  return codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : '\uFFFD';
}

/** Reads bytes as UTF-8 where they are valid, else as Latin-1; each was written with as many characters. */
function resolveBytes(
  bytes: Buffer,
  charactersPerByte: number,
  put: (text: string, at: number) => void,
): void {
  for (let at = 0; at < bytes.length; ) {
    const length = utf8Length(bytes, at);
    put(bytes.toString(length === 1 ? 'latin1' : 'utf8', at, at + length), charactersPerByte * at);
    at += length;
  }
}

/** Length of the UTF-8 sequence at a position; 1 if there is none. */
function utf8Length(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  const rest = bytes.subarray(at + 1, at + length);
  return rest.length === length - 1 && rest.every((byte) => byte >> 6 === 2) ? length : 1;
}
