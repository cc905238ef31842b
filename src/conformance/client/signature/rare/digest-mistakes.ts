import { createHmac, getHashes, hash } from 'node:crypto';
import type { DigestOf, Mistake } from '../recipe/recipe.ts';
import { rareMistake } from './rare-mistake.ts';

const DIGEST = 'The signature is MD5(hex MD5(S) followed by the signing key), in hex.';
const HEX = 'Write the digest as 32 hex digits.';
const INNER = 'Write the inner digest as 32 hex digits in lower case.';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytesOf = (hex: string): number[] => [...Buffer.from(hex, 'hex')];

const DIGESTS: readonly (readonly [id: string, statement: string, digest: DigestOf])[] = [
  // Not every build of OpenSSL has all of them.
  ...getHashes()
    .filter((name) => ['sha384', 'sha3-256', 'sm3', 'ripemd160'].includes(name))
    .map(
      (name) =>
        [
          name,
          `is made by ${name.toUpperCase()}`,
          (text: Uint8Array, key: Uint8Array) => digestBy(name, digestBy(name, text), key),
        ] as const,
    ),
  ...['sha1', 'sha256', 'sha512'].flatMap((name) => [
    [
      `${name}-outside`,
      `is a ${name.toUpperCase()} of the inner MD5 and the signing key`,
      (text: Uint8Array, key: Uint8Array) => digestBy(name, hash('md5', text), key),
    ] as const,
    [
      `${name}-inside`,
      `has a ${name.toUpperCase()} inside`,
      (text: Uint8Array, key: Uint8Array) => digestBy('md5', digestBy(name, text), key),
    ] as const,
    [
      `hmac-${name}-of-inner`,
      `is an HMAC-${name.toUpperCase()} of the inner digest`,
      (text: Uint8Array, key: Uint8Array) =>
        createHmac(name, key).update(hash('md5', text)).digest('hex'),
    ] as const,
  ]),
  [
    'hmac-sha512',
    'is an HMAC-SHA-512',
    (text, key) => createHmac('sha512', key).update(text).digest('hex'),
  ],
  [
    'hmac-swapped',
    'is an HMAC-MD5 with the text as its key',
    (text, key) => createHmac('md5', text).update(key).digest('hex'),
  ],
  [
    'hmac-swapped',
    'is an HMAC-MD5 of the signing key, with the inner digest as its key',
    (text, key) => createHmac('md5', hash('md5', text)).update(key).digest('hex'),
  ],
  [
    'hmac-hashed-again',
    'is an MD5 of an HMAC-MD5 and the signing key',
    (text, key) => digestBy('md5', createHmac('md5', key).update(text).digest('hex'), key),
  ],
  [
    'digests-joined',
    'hashes the digests of key and text, the key first',
    (text, key) => digestBy('md5', hash('md5', key), hash('md5', text)),
  ],
  [
    'hashed-thrice',
    'appends the signing key, and hashes it twice more',
    (text, key) => hash('md5', hash('md5', digestBy('md5', hash('md5', text), key))),
  ],
  [
    'utf-16-digests',
    'hashes UTF-16, also of the inner digest and the signing key',
    (text, key) => hash('md5', utf16(Buffer.concat([Buffer.from(hash('md5', utf16(text))), key]))),
  ],
  [
    'inner-upper-case',
    'hashes the inner digest and the signing key in upper case',
    (text, key) => hash('md5', (hash('md5', text) + Buffer.from(key).toString()).toUpperCase()),
  ],
];

const utf16 = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(Buffer.from(bytes).toString(), 'utf16le');

function digestBy(name: string, ...parts: readonly (string | Uint8Array)[]): string {
  return hash(name, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
}

/** Notations of the signature or of the inner digest, by id. */
const NOTATIONS: readonly (readonly [
  id: string,
  statement: string,
  change: (hex: string) => string,
])[] = [
  [
    'base64-unpadded',
    'in Base64 without `=`',
    (hex) => base64(Buffer.from(hex, 'hex')).replace(/=+$/, ''),
  ],
  ['base64-url', 'in Base64 for URLs', (hex) => Buffer.from(hex, 'hex').toString('base64url')],
  ['last-half', 'only its last half', (hex) => hex.slice(hex.length / 2)],
  ['with-dashes', 'with a dash after each byte', (hex) => hex.replace(/..(?!$)/g, '$&-')],
  ['with-colons', 'with a colon after each byte', (hex) => hex.replace(/..(?!$)/g, '$&:')],
  ['with-spaces', 'with a space after each byte', (hex) => hex.replace(/..(?!$)/g, '$& ')],
  [
    'as-uuid',
    'in the form of a UUID',
    (hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  ],
  [
    'bytes-unpadded',
    'without the leading zero of each byte',
    (hex) =>
      bytesOf(hex)
        .map((byte) => byte.toString(16))
        .join(''),
  ],
  ['zeros-cut', 'without leading zeros', (hex) => hex.replace(/^0+/, '')],
  ['with-0x', 'with 0x before it', (hex) => `0x${hex}`],
  ['reversed', 'reversed', (hex) => Array.from(hex).reverse().join('')],
  ['decimal', 'as a decimal number', (hex) => BigInt(`0x${hex}`).toString()],
  ['bytes-decimal', 'as decimal bytes', (hex) => bytesOf(hex).join('')],
  [
    'bytes-signed',
    'with bytes written as signed numbers',
    (hex) => bytesOf(hex).map(signedByte).join(''),
  ],
  [
    'bytes-reversed',
    'with its bytes in reverse order',
    (hex) => Buffer.from(hex, 'hex').reverse().toString('hex'),
  ],
];

/** A byte in hex as C and Java write it that is taken for a signed one. */
function signedByte(byte: number): string {
  return byte > 127 ? `ffffff${byte.toString(16)}` : byte.toString(16).padStart(2, '0');
}

const LENGTHS = [31, 30, 28, 24, 20, 15, 14, 12, 10, 8, 6];

/** Mistakes in how text and signing key become the signature. */
export const RARE_DIGEST_MISTAKES: readonly Mistake[] = [
  ...DIGESTS.map(([id, statement, algorithm]) => rareMistake(id, statement, DIGEST, { algorithm })),
  ...NOTATIONS.flatMap(([id, statement, change]) => [
    rareMistake(`signature-${id}`, `is the digest ${statement}`, HEX, { notation: change }),
    rareMistake(`inner-${id}`, `writes the inner digest ${statement}`, INNER, { inner: change }),
  ]),
  ...[16, ...LENGTHS].map((length) =>
    rareMistake('inner-cut', `takes only the first ${length} digits of the inner digest`, INNER, {
      inner: (hex) => hex.slice(0, length),
    }),
  ),
  rareMistake('inner-cut', 'takes only the middle half of the inner digest', INNER, {
    inner: (hex) => hex.slice(8, 24),
  }),
  ...LENGTHS.map((length) =>
    rareMistake('signature-cut', `is only the first ${length} digits of the digest`, HEX, {
      notation: (hex) => hex.slice(0, length),
    }),
  ),
  rareMistake(
    'run-together-in-keys',
    'hashes the pairs once, run together between two keys',
    DIGEST,
    {
      terms: (name, value) => name + value,
      joint: '',
      inner: 'none',
      keyPlace: 'both-ends',
    },
  ),
  rareMistake(
    'run-together-and-key',
    'hashes the pairs once, run together before the key',
    DIGEST,
    {
      terms: (name, value) => name + value,
      joint: '',
      inner: 'none',
    },
  ),
];
