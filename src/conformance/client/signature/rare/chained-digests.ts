import { hash } from 'node:crypto';
import type { Mistake } from '../recipe/recipe.ts';
import { rareMistake } from './rare-mistake.ts';

const DIGEST = 'The signature is MD5(hex MD5(S) followed by the signing key), in hex.';

type Bytes = Uint8Array | string;

const md5 = (...parts: readonly Bytes[]): string => hash('md5', joined(...parts));
const joined = (...parts: readonly Bytes[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const hexOf = (...parts: readonly Bytes[]): string => joined(...parts).toString('hex');
const raw = (hex: string): Buffer => Buffer.from(hex, 'hex');
const unpadded = (hex: string): string =>
  raw(hex).reduce((text, one) => text + one.toString(16), '');
const dashed = (hex: string): string => hex.replace(/..(?!$)/g, '$&-');

/** Digests by a misused library or a pipe of commands, by id. */
const DIGESTS: readonly (readonly [
  id: string,
  statement: string,
  digest: (text: Uint8Array, key: Uint8Array) => string,
])[] = [
  [
    'digest-not-reset',
    'adds the inner digest and the key to the same hash as the text',
    (text, key) => md5(text, md5(text), key),
  ],
  [
    'digest-appended',
    'appends an empty digest to the text, as Sum of Go does',
    (text, key) => md5(hexOf(text), md5(''), key),
  ],
  [
    'digest-appended',
    'appends an empty digest to text and key, as Sum of Go does',
    (text, key) => hexOf(md5(text), key) + md5(''),
  ],
  [
    'digest-appended',
    'appends empty digests, as Sum of Go does',
    (text, key) => hexOf(hexOf(text), md5(''), key) + md5(''),
  ],
  ['hex-of-hex', 'writes its hex digits in hex again', (text, key) => hexOf(md5(md5(text), key))],
  ['hex-of-hex', 'writes the inner digits in hex again', (text, key) => md5(hexOf(md5(text)), key)],
  [
    'inner-byte-list',
    'writes the inner digest as a list of bytes',
    (text, key) => md5(`[${[...raw(md5(text))].join(' ')}]`, key),
  ],
  [
    'inner-byte-list',
    'writes the inner digest as a list of bytes',
    (text, key) => md5(`[${[...raw(md5(text))].join(', ')}]`, key),
  ],
  [
    'inner-python-bytes',
    "writes b'' around the inner digest",
    (text, key) => md5(`b'${md5(text)}'`, key),
  ],
  [
    'inner-python-bytes',
    "writes b'' around the inner digest in Base64",
    (text, key) => md5(`b'${raw(md5(text)).toString('base64')}'`, key),
  ],
  [
    'python-bytes',
    "writes b'' around inner digest and key",
    (text, key) => md5(md5(text), `b'`, key, `'`),
  ],
  ...['  -', '  -\n'].map(
    (end) =>
      [
        'inner-md5sum',
        'takes the whole line that md5sum writes',
        (text: Uint8Array, key: Uint8Array) => md5(md5(text), end, key),
      ] as const,
  ),
  [
    'inner-md5sum',
    'takes the whole line that md5sum writes, and hashes line feeds',
    (text, key) => md5(md5(text, '\n'), '  -', key, '\n'),
  ],
  ...['(stdin)= ', 'MD5(stdin)= ', 'MD5 (stdin) = '].map(
    (start) =>
      [
        'inner-openssl',
        'takes the whole line that openssl writes',
        (text: Uint8Array, key: Uint8Array) => md5(start, md5(text), key),
      ] as const,
  ),
  [
    'line-feeds',
    'hashes a line feed after the text and after the key',
    (text, key) => md5(md5(text, '\n'), key, '\n'),
  ],
  [
    'inner-as-latin-1',
    'takes the raw inner digest for a text',
    (text, key) => md5(raw(md5(text)).toString('latin1'), key),
  ],
  [
    'inner-as-utf-8',
    'takes the raw inner digest for a text',
    (text, key) => md5(raw(md5(text)).toString('utf8'), key),
  ],
  [
    'inner-with-line-feed',
    'appends a line feed to the inner digest in Base64',
    (text, key) => md5(raw(md5(text)).toString('base64'), '\n', key),
  ],
  [
    'key-hashed-first',
    'hashes the digest of the key, followed by the text',
    (text, key) => md5(md5(key), text),
  ],
  [
    'key-hashed-last',
    'hashes the text, followed by the digest of the key',
    (text, key) => md5(text, md5(key)),
  ],
  [
    'key-named-first',
    'hashes `key=`, the key, `&` and the text',
    (text, key) => md5('key=', key, '&', text),
  ],
  ['key-named-first', 'hashes the key, `&` and the text', (text, key) => md5(key, '&', text)],
  [
    'bytes-unpadded',
    'leaves out the leading zero of each byte in both digests',
    (text, key) => unpadded(md5(unpadded(md5(text)), key)),
  ],
  [
    'bytes-dashed',
    'puts a dash after each byte of the inner digest, in upper case',
    (text, key) => md5(dashed(md5(text)).toUpperCase(), key),
  ],
  [
    'bytes-dashed',
    'puts a dash after each byte of both digests',
    (text, key) => dashed(md5(dashed(md5(text)), key)),
  ],
  [
    'bytes-dashed',
    'puts a dash after each byte of both digests, in upper case',
    (text, key) => dashed(md5(dashed(md5(text)).toUpperCase(), key)),
  ],
  [
    'digests-unhashed',
    'is the inner digest followed by the key, not hashed',
    (text, key) => md5(text) + Buffer.from(key).toString(),
  ],
  ...['sha384', 'sha512', 'sha3-256', 'sm3', 'ripemd160', 'sha1', 'sha256'].map(
    (name) =>
      [
        `${name}-once`,
        `is a single ${name.toUpperCase()} of text and key`,
        (text: Uint8Array, key: Uint8Array) => hashIfKnown(name, joined(text, key)),
      ] as const,
  ),
  ...['&appkey=', '&app_secret=', '&app_key=', '&apikey=', '&sign_key='].map(
    (name) =>
      [
        'key-in-text',
        `hashes once, with \`${name}\` before the signing key`,
        (text: Uint8Array, key: Uint8Array) => md5(text, name, key),
      ] as const,
  ),
];

/** Not every build of OpenSSL has every algorithm. */
function hashIfKnown(name: string, bytes: Uint8Array): string {
  try {
    return hash(name, bytes);
  } catch {
    return '';
  }
}

/** Digests that no single choice of a part explains. */
export const CHAINED_DIGEST_MISTAKES: readonly Mistake[] = DIGESTS.map(
  ([id, statement, algorithm]) => rareMistake(id, statement, DIGEST, { algorithm }),
);
