import {
  type Deviation,
  type Fields,
  type Habits,
  md5,
  percent,
  rightSignature,
  signedText,
} from './habits.ts';

/** A wrong way to sign. */
export interface SignatureMistake {
  /** As a predicate of "a client". */
  readonly mistake: string;
  /** Id of the mistake that `certify` names; left out, it cannot know the text that was signed. */
  readonly explainedBy?: string;
  readonly deviation: Deviation;
}

const signing = (
  mistake: string,
  explainedBy: string,
  sign: (pairs: Fields, key: string, kind: string) => string,
  more: Deviation = {},
): SignatureMistake => ({ mistake, explainedBy, deviation: { ...more, sign } });

/** Signs another text, by the right digests. */
const over = (
  mistake: string,
  explainedBy: string,
  textOf: (pairs: Fields, key: string) => string,
  more?: Deviation,
): SignatureMistake =>
  signing(mistake, explainedBy, (pairs, key) => md5(md5(textOf(pairs, key)) + key), more);

const values = (change: (text: string) => string) => (pairs: Fields) =>
  signedText(pairs, {
    value: (one) => change(typeof one === 'string' ? one : JSON.stringify(one)),
  });

const SCOPED: Deviation = { scope: () => 'public rides.read rides.request' };
const CAFE: Deviation = {
  query: (pairs) => pairs.map(([name, one]) => [name, name === 'from_name' ? 'Café Élan' : one]),
  fields: (fields) => ({ ...fields, device: 'Café' }),
};
const TIMED: Deviation = {
  query: (pairs) => [...pairs, ['departure_time', '1772460000']],
  fields: (fields) => ({ ...fields, build: 12 }),
};

const sorted = (pairs: Fields): Fields =>
  Object.fromEntries(Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1)));

function cached(): Habits['sign'] {
  const byKey = new Map<string, string>();
  return (pairs, key, kind) => {
    const first = byKey.get(key + kind) ?? rightSignature(pairs, key);
    byKey.set(key + kind, first);
    return first;
  };
}

function previous(): Habits['sign'] {
  const byKey = new Map<string, string>();
  return (pairs, key) => {
    const now = rightSignature(pairs, key);
    const last = byKey.get(key) ?? now;
    byKey.set(key, now);
    return last;
  };
}

/** Ways to sign wrongly, with the mistake that explains each. */
export const SIGNATURE_MISTAKES: readonly SignatureMistake[] = [
  {
    mistake: 'draws the nostr again after signing',
    deviation: {
      sentFields: (fields, client) => ({ ...fields, nostr: client.surroundings.random() }),
    },
  },
  {
    mistake: 'reads the clock again after signing',
    explainedBy: 'other-value:_',
    deviation: {
      sentFields: (fields) => ({
        ...fields,
        _: new Date(Date.parse(String(fields['_'])) + 7).toISOString(),
      }),
    },
  },
  {
    mistake: 'reads the clock again after two minutes',
    explainedBy: 'other-value:_',
    deviation: {
      time: (nowMs) => `${new Date(nowMs - 120_000).toISOString().slice(0, 19)}Z`,
      sentFields: (fields) => ({
        ...fields,
        _: `${new Date(Date.parse(String(fields['_'])) + 120_000).toISOString().slice(0, 19)}Z`,
      }),
    },
  },
  signing('has a line feed after its key', 'key-with-line-feed', (pairs, key) =>
    rightSignature(pairs, `${key}\n`),
  ),
  signing('has CR and LF after its key', 'key-with-crlf', (pairs, key) =>
    rightSignature(pairs, `${key}\r\n`),
  ),
  signing('has a space after its key', 'key-with-space', (pairs, key) =>
    rightSignature(pairs, `${key} `),
  ),
  signing('has quotation marks around its key', 'key-quoted', (pairs, key) =>
    rightSignature(pairs, `"${key}"`),
  ),
  signing('has a BOM before its key', 'key-with-bom', (pairs, key) =>
    rightSignature(pairs, `\ufeff${key}`),
  ),
  over('signs with a BOM', 'text-with-bom', (pairs) => `\ufeff${signedText(pairs)}`),
  over(
    'signs with a line feed at the end',
    'text-with-line-feed',
    (pairs) => `${signedText(pairs)}\n`,
  ),
  signing('hashes the text twice before the key', 'inner-hashed-twice', (pairs, key) =>
    md5(md5(md5(signedText(pairs))) + key),
  ),
  signing('hashes the signature once more', 'hashed-thrice', (pairs, key) =>
    md5(rightSignature(pairs, key)),
  ),
  over('signs values as JSON', 'values-quoted', (pairs) =>
    signedText(pairs, { value: (one) => JSON.stringify(one) }),
  ),
  over(
    'signs values in single quotation marks',
    'values-single-quoted',
    values((one) => `'${one}'`),
  ),
  {
    mistake: 'signs once and keeps the signature',
    explainedBy: 'signature-reused',
    deviation: { sign: cached() },
  },
  {
    mistake: 'sends the signature of the request before',
    explainedBy: 'signature-reused',
    deviation: { sign: previous() },
  },
  over(
    'signs numbers with an exponent',
    'numbers-exponent',
    values((one) => (/^-?\d+\.\d+$/.test(one) ? Number(one).toExponential() : one)),
  ),
  over(
    'signs whole numbers with .0',
    'numbers-float',
    values((one) => (/^\d+$/.test(one) ? `${one}.0` : one)),
    TIMED,
  ),
  over(
    'signs numbers as Java writes a double',
    'numbers-java',
    values((one) =>
      /^\d+$/.test(one) && one.length > 7 ? Number(one).toExponential().replace('e+', 'E') : one,
    ),
    TIMED,
  ),
  over('signs in NFD', 'text-nfd', (pairs) => signedText(pairs).normalize('NFD'), CAFE),
  over('joins by &amp;', 'joint-html', (pairs) => signedText(pairs, { joint: '&amp;' })),
  over(
    'escapes values for HTML',
    'values-html',
    values((one) => one.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
  ),
  over(
    'cuts values at #',
    'values-cut-at-hash',
    values((one) => one.split('#')[0]!),
  ),
  over('cuts the text at #', 'text-cut-at-hash', (pairs) => signedText(pairs).split('#')[0]!),
  over(
    'signs + for a space in the scope',
    'spaces-as-plus',
    values((one) => one.replaceAll(' ', '+')),
    SCOPED,
  ),
  over(
    'signs True',
    'booleans-python',
    (pairs) =>
      signedText(pairs, {
        value: (one) => (typeof one === 'boolean' ? (one ? 'True' : 'False') : String(one)),
      }),
    { fields: (fields) => ({ ...fields, fresh: true }) },
  ),
  over(
    'signs a list as Python writes it',
    'list-python',
    (pairs) =>
      signedText(pairs, {
        value: (one) =>
          Array.isArray(one) ? `[${one.map((each) => `'${each}'`).join(', ')}]` : String(one),
      }),
    { fields: (fields) => ({ ...fields, tags: ['a', 'b'] }) },
  ),
  over(
    'signs the key as a pair too',
    'key-in-text',
    (pairs, key) => `${signedText(pairs)}&key=${key}`,
  ),
  over('signs names and values in lower case', 'text-lower-case', (pairs) =>
    signedText(pairs).toLowerCase(),
  ),
  over('signs unsorted', 'order-unsorted', (pairs) => signedText(pairs, { sort: () => 0 })),
  over('sorts the terms', 'order-by-value', (pairs) =>
    Object.entries(pairs)
      .map(([name, one]) => `${name}=${String(one)}`)
      .sort((a, b) => (a.split('=')[1]! < b.split('=')[1]! ? -1 : 1))
      .join('&'),
  ),
  over('signs the JSON of its sorted body', 'json-sorted', (pairs) =>
    JSON.stringify(sorted(pairs)),
  ),
  over('percent-encodes values', 'url-encoded', values(percent)),
  over(
    'percent-encodes values twice',
    'url-encoded-twice',
    values((one) => percent(percent(one))),
  ),
  over(
    'signs values in upper case',
    'values-upper-case',
    values((one) => one.toUpperCase()),
  ),
  over('signs the path too', 'path-included', (pairs) => `/v1/oauth/token?${signedText(pairs)}`),
  over(
    'signs the method and path first',
    'path-included',
    (pairs) => `POST/v1/oauth/token${signedText(pairs)}`,
  ),
  signing('hashes with the key on both sides', 'key-both-ends', (pairs, key) =>
    md5(key + md5(signedText(pairs)) + key),
  ),
  signing('writes the inner digest in Base64', 'inner-base64', (pairs, key) =>
    md5(Buffer.from(md5(signedText(pairs)), 'hex').toString('base64') + key),
  ),
  signing('takes the partner id for the key', 'key-is-partner-id', (pairs, _key) =>
    rightSignature(pairs, 'partner-steady-platform'),
  ),
  signing('joins the digest and the key by a dash', 'key-separator-dash', (pairs, key) =>
    md5(`${md5(signedText(pairs))}-${key}`),
  ),
  signing('hashes the reversed text', 'text-reversed', (pairs, key) =>
    md5(md5(Array.from(signedText(pairs)).reverse().join('')) + key),
  ),
  over('leaves the time out and sorts wrongly', 'missing-field:_', (pairs) =>
    signedText(Object.fromEntries(Object.entries(pairs).filter(([name]) => name !== '_')), {
      sort: (a, b) => (a < b ? 1 : -1),
    }),
  ),
];
