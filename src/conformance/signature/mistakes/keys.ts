import { hash } from 'node:crypto';
import { PRINTED, percentDecode, replaced, reversed, surrounded } from '../notations.ts';
import { alike, choices, type Mistake, type TextRow } from '../recipe.ts';
import { KEY } from './advice.ts';

/** Changes of the key, by id. */
const KEYS: readonly TextRow[] = [
  ['key-doubled', 'appends the signing key twice', (key) => key + key],
  ['key-reversed', 'reverses the signing key', reversed],
  [
    'key-in-base64',
    'writes the signing key in Base64',
    (key) => Buffer.from(key).toString('base64'),
  ],
  ['key-in-hex', 'writes the signing key in hex', (key) => Buffer.from(key).toString('hex')],
  [
    'key-encoded',
    'percent-encodes the signing key',
    (key) => encodeURIComponent(Buffer.from(key).toString()),
  ],
  ['key-decoded', 'percent-decodes the signing key', percentDecode],
  ['key-decoded', 'form-decodes the signing key', (key) => percentDecode(key.replaceAll('+', ' '))],
  ['key-expanded', 'expands $ in the signing key', replaced(/\$\w*/g, '')],
  ['key-expanded', 'removes backslashes from the signing key', replaced('\\', '')],
  ['key-as-number', 'reads the signing key as a number', (key) => String(Number(key))],
  ['key-hashed', 'hashes the signing key by SHA-1', (key) => hash('sha1', key)],
  ['key-hashed', 'hashes the signing key by SHA-256', (key) => hash('sha256', key)],
  ['key-hashed', 'hashes the signing key, in upper case', (key) => hash('md5', key).toUpperCase()],
  ...alike(
    'key-with-ending',
    ['\t', '\0', '\r', '\u3000', '\u00a0', '&', '=', ','].map((after) => [
      `ends the signing key with ${JSON.stringify(after)}`,
      surrounded('', after),
    ]),
  ),
  ...alike(
    'key-with-beginning',
    [' ', '\t', '\n', 'key=', '.', ';', '/', '*', '&secret_key=', '&app_secret='].map((before) => [
      `puts ${JSON.stringify(before)} before the signing key`,
      surrounded(before),
    ]),
  ),
  ...alike(
    'key-as-printed',
    PRINTED.map(([shown, change]) => [`writes the signing key as ${shown}`, change] as const),
  ),
];

/** Said of an end of the key that may be another text by chance. */
const SAME = ', or a partner id that is the same';
/** Lengths to which clients cut a key. */
const MAX_KEY = 64;

/** The key cut at either end, to any length. */
function cutKeys({ length: whole }: string): TextRow[] {
  const lengths = Array.from({ length: Math.min(MAX_KEY, whole) - 1 }, (_, at) => at + 1);
  return alike(
    'key-cut',
    lengths.toReversed().flatMap((length) => [
      [
        `takes only the first ${length} characters of the signing key`,
        (key) => key.slice(0, length),
      ],
      [
        `takes only the last ${length} characters of the signing key${length < 8 ? SAME : ''}`,
        (key) => key.slice(-length),
      ],
    ]),
  );
}

/** Texts that a client without a key may append in its place. */
const NO_KEYS = (
  'undefined null None nil NULL false <SIGNING_KEY> SIGNING_KEY FAREPROOF_SIGNING_KEY signing_key secret key ' +
  'changeme test'
).split(' ');

/** Mistakes in the text that is taken for the signing key. */
export function keyMistakes(signingKey: string): Mistake[] {
  return choices('keyText', KEY, [
    ...KEYS,
    ...cutKeys(signingKey),
    ...alike(
      'key-undefined',
      NO_KEYS.map((word) => [`takes the text ${word} for the signing key`, () => word]),
    ),
  ]);
}
