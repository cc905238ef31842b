import { createHmac, getHashes, hash } from 'node:crypto';
import { base64, PRINTED, replaced, reversed, surrounded, type TextChange } from '../notations.ts';
import {
  advised,
  alike,
  type Bytes,
  choices,
  joined,
  type Mistake,
  type MistakeRow,
  type TextRow,
} from '../recipe.ts';
import { DIGEST, HEX } from './advice.ts';

const INNER = 'Write the inner digest as 32 hex digits in lower case.';

/** Not every build of OpenSSL has every algorithm. */
const HASHES = new Set(getHashes());

const hashOf =
  (name: string) =>
  (...parts: readonly Bytes[]): string =>
    HASHES.has(name) ? hash(name, joined(...parts)) : '';
const md5 = hashOf('md5');
const hmac = (name: string, key: Bytes, text: Bytes): string =>
  createHmac(name, key).update(text).digest('hex');
const hexOf = (...parts: readonly Bytes[]): string => joined(...parts).toString('hex');
const raw = (hex: string): Buffer => Buffer.from(hex, 'hex');
const bytesOf = (hex: string): number[] => [...raw(hex)];
const hexBytes = (hex: string): string[] => bytesOf(hex).map((byte) => byte.toString(16));
const utf16 = (text: Bytes): Buffer =>
  Buffer.from(Buffer.from(text as string).toString(), 'utf16le');
const innerBy = (change: TextChange) => ({
  inner: (text: Bytes, digest: (text: Bytes) => string) => change(digest(text)),
});

/** A digest of its own, of text and key. */
const by = (
  id: string,
  statement: string,
  digest: (text: Uint8Array, key: Bytes) => string,
): MistakeRow => [id, statement, { outer: (_recipe, text, key) => digest(text, key) }];

/** Texts that programs write around a digest. */
const LINES = [
  ...['  -', '  -\n'].map((after) => ['md5sum', '', after] as const),
  ...[' *-', ' *stdin', ' *stdin\n'].map((after) => ['openssl', '', after] as const),
  ...['(stdin)= ', 'MD5(stdin)= ', 'MD5 (stdin) = '].map((line) => ['openssl', line, ''] as const),
];

/** Digests that no single choice of a part explains, by a misused library or a pipe of commands too. */
export const DIGEST_MISTAKES: readonly Mistake[] = advised(DIGEST, [
  ...['sha384', 'sha3-256', 'sm3', 'ripemd160'].map((name) =>
    by(name, `is made by ${name.toUpperCase()}`, (text, key) =>
      hashOf(name)(hashOf(name)(text), key),
    ),
  ),
  ...['sha1', 'sha256', 'sha512'].flatMap((name) => [
    by(
      `${name}-outside`,
      `is a ${name.toUpperCase()} of the inner MD5 and the signing key`,
      (text, key) => hashOf(name)(md5(text), key),
    ),
    by(`${name}-inside`, `has a ${name.toUpperCase()} inside`, (text, key) =>
      md5(hashOf(name)(text), key),
    ),
    by(
      `hmac-${name}-of-inner`,
      `is an HMAC-${name.toUpperCase()} of the inner digest`,
      (text, key) => hmac(name, key, md5(text)),
    ),
  ]),
  by('hmac-sha512', 'is an HMAC-SHA-512', (text, key) => hmac('sha512', key, text)),
  by('hmac-swapped', 'is an HMAC-MD5 with the text as its key', (text, key) =>
    hmac('md5', text, key),
  ),
  by(
    'hmac-swapped',
    'is an HMAC-MD5 of the signing key, with the inner digest as its key',
    (text, key) => hmac('md5', md5(text), key),
  ),
  by('hmac-hashed-again', 'is an MD5 of an HMAC-MD5 and the signing key', (text, key) =>
    md5(hmac('md5', key, text), key),
  ),
  by('digests-joined', 'hashes the inner digest twice over and the key', (text, key) =>
    md5(md5(text), md5(text), key),
  ),
  by('hashed-thrice', 'appends the signing key, and hashes it twice more', (text, key) =>
    md5(md5(md5(md5(text), key))),
  ),
  by('utf-16-digests', 'hashes UTF-16, also of the inner digest and the signing key', (text, key) =>
    md5(utf16(joined(md5(utf16(text)), key))),
  ),
  by(
    'digest-not-reset',
    'adds the inner digest and the key to the same hash as the text',
    (text, key) => md5(text, md5(text), key),
  ),
  by('digest-appended', 'appends an empty digest to the text, as Sum of Go does', (text, key) =>
    md5(hexOf(text), md5(''), key),
  ),
  by(
    'digest-appended',
    'appends an empty digest to text and key, as Sum of Go does',
    (text, key) => hexOf(md5(text), key) + md5(''),
  ),
  by(
    'digest-appended',
    'appends empty digests, as Sum of Go does',
    (text, key) => hexOf(hexOf(text), md5(''), key) + md5(''),
  ),
  ...PRINTED.map(([shown, change]) =>
    by('inner-as-printed', `writes the inner digest as ${shown}`, (text, key) =>
      md5(change(md5(text)), key),
    ),
  ),
  by('inner-python-bytes', "writes b'' around the inner digest in Base64", (text, key) =>
    md5(`b'${base64(md5(text))}'`, key),
  ),
  ...LINES.map(([program, before, after]) =>
    by(`inner-${program}`, `takes the whole line that ${program} writes`, (text, key) =>
      md5(before, md5(text), after, key),
    ),
  ),
  by('inner-md5', 'takes the whole line that md5 -s writes', (text, key) =>
    md5('MD5 ("', text, '") = ', md5(text), key),
  ),
  by(
    'inner-hashed-twice',
    'hashes the raw inner digest again before the key is appended',
    (text, key) => md5(md5(raw(md5(text))), key),
  ),
  by('inner-as-latin-1', 'takes the raw inner digest for a text', (text, key) =>
    md5(raw(md5(text)).toString('latin1'), key),
  ),
  by('inner-as-utf-8', 'takes the raw inner digest for a text', (text, key) =>
    md5(raw(md5(text)).toString('utf8'), key),
  ),
  by('key-named-first', 'hashes `key=`, the key, `&` and the text', (text, key) =>
    md5('key=', key, '&', text),
  ),
  by('digests-unhashed', 'is the inner digest followed by the key, not hashed', (text, key) =>
    joined(md5(text), key).toString(),
  ),
  ...['sha384', 'sha512', 'sha3-256', 'sm3', 'ripemd160', 'sha1', 'sha256'].map((name) =>
    by(`${name}-once`, `is a single ${name.toUpperCase()} of text and key`, (text, key) =>
      hashOf(name)(text, key),
    ),
  ),
  ...['&appkey=', '&app_secret=', '&app_key=', '&apikey=', '&sign_key='].map((name) =>
    by('key-in-text', `hashes once, with \`${name}\` before the signing key`, (text, key) =>
      md5(text, name, key),
    ),
  ),
]);

/** A byte in hex as C and Java write it that is taken for a signed one. */
function signedByte(byte: number): string {
  return byte > 127 ? `ffffff${byte.toString(16)}` : byte.toString(16).padStart(2, '0');
}

/** Notations of the signature, of the inner digest, or of both, by id. */
const NOTATIONS: readonly TextRow[] = [
  ['base64-unpadded', 'in Base64 without `=`', (hex) => base64(hex).replace(/=+$/, '')],
  ['base64-url', 'in Base64 for URLs', (hex) => raw(hex).toString('base64url')],
  ['last-half', 'only its last half', (hex) => hex.slice(hex.length / 2)],
  ['with-dashes', 'with a dash after each byte', replaced(/..(?!$)/g, '$&-')],
  [
    'with-dashes',
    'with a dash after each byte, in upper case',
    (hex) => hex.toUpperCase().replace(/..(?!$)/g, '$&-'),
  ],
  ['with-colons', 'with a colon after each byte', replaced(/..(?!$)/g, '$&:')],
  ['with-spaces', 'with a space after each byte', replaced(/..(?!$)/g, '$& ')],
  ['as-uuid', 'in the form of a UUID', replaced(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')],
  ['bytes-unpadded', 'without the leading zero of each byte', (hex) => hexBytes(hex).join('')],
  ['zeros-cut', 'without leading zeros', replaced(/^0+/, '')],
  ['with-0x', 'with 0x before it', surrounded('0x')],
  ['reversed', 'reversed', reversed],
  ['decimal', 'as a decimal number', (hex) => BigInt(`0x${hex}`).toString()],
  ['bytes-decimal', 'as decimal bytes', (hex) => bytesOf(hex).join('')],
  [
    'bytes-signed',
    'with bytes written as signed numbers',
    (hex) => bytesOf(hex).map(signedByte).join(''),
  ],
  [
    'bytes-signed',
    'with bytes written as signed numbers, without leading zeros',
    (hex) =>
      bytesOf(hex)
        .map((byte) => signedByte(byte).replace(/^0/, ''))
        .join(''),
  ],
  ['bytes-decimal', 'as signed decimal bytes', (hex) => [...new Int8Array(raw(hex))].join('')],
  [
    'bytes-reversed',
    'with its bytes in reverse order',
    (hex) => raw(hex).reverse().toString('hex'),
  ],
  ['as-list', 'as a list of bytes', (hex) => `[${bytesOf(hex).join(' ')}]`],
  ['as-list', 'as a list of bytes', (hex) => `[${bytesOf(hex).join(', ')}]`],
  ['as-list', 'as bytes with commas', (hex) => bytesOf(hex).join(',')],
  ['as-list', 'as a list of signed bytes', (hex) => `[${[...new Int8Array(raw(hex))].join(', ')}]`],
  ['as-list', 'as a list of bytes in hex', (hex) => `[${hexBytes(hex).join(', ')}]`],
  ['as-list', 'as bytes of Elixir', (hex) => `<<${bytesOf(hex).join(', ')}>>`],
  [
    'as-list',
    'as a Buffer that Node prints',
    (hex) => `<Buffer ${hex.replace(/..(?!$)/g, '$& ')}>`,
  ],
  ['as-list', 'as JSON of a Buffer', (hex) => JSON.stringify(raw(hex))],
  ['as-printed', 'as CryptoKit prints it', surrounded('MD5 digest: ')],
  ['as-printed', 'as the type of a list of bytes', () => 'System.Byte[]'],
  ['hex-of-hex', 'with its hex digits in hex again', (hex) => hexOf(hex)],
];

const LENGTHS = [31, 30, 28, 24, 20, 15, 14, 12, 10, 8, 6];
/** Mistakes in how digests are written. */
export const DIGIT_MISTAKES: readonly Mistake[] = [
  ...NOTATIONS.flatMap(([id, statement, notation]) => [
    ...advised(HEX, [[`signature-${id}`, `is the digest ${statement}`, { notation }]]),
    ...advised(INNER, [
      [`inner-${id}`, `writes the inner digest ${statement}`, innerBy(notation)],
      [`both-${id}`, `writes both digests ${statement}`, { ...innerBy(notation), notation }],
    ]),
  ]),
  ...advised(
    INNER,
    alike('inner-cut', [
      ...[16, ...LENGTHS].map(
        (length) =>
          [
            `takes only the first ${length} digits of the inner digest`,
            innerBy((hex) => hex.slice(0, length)),
          ] as const,
      ),
      ['takes only the middle half of the inner digest', innerBy((hex) => hex.slice(8, 24))],
    ]),
  ),
  ...choices(
    'notation',
    HEX,
    LENGTHS.map((length) => [
      'signature-cut',
      `is only the first ${length} digits of the digest`,
      (hex) => hex.slice(0, length),
    ]),
  ),
];
