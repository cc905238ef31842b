import { type Attempt, type Fields, type Form, only } from '../form.ts';
import { jsonOf, type Reading, signatureOf, trim } from '../reading-signature.ts';
import { textOf } from '../state.ts';
import { read } from './base.ts';

const byName = (compare: (a: string, b: string) => number): Form =>
  read({ sort: (names) => names.sort(compare) });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const on = (keyOf: (name: string) => string | number): Form =>
  byName((a, b) => {
    const [one, two] = [keyOf(a), keyOf(b)];
    return one < two ? -1 : one > two ? 1 : compare(a, b);
  });

const KNOWN = ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'];

const encode = (textFor: (text: string) => string): Form =>
  read({ encode: (text) => Buffer.from(textFor(text), 'utf8') });

const trimming = (trimBoth: (text: string) => string): Form =>
  read({ trimName: trimBoth, trimValue: trimBoth });

const list = (textFor: (value: readonly unknown[]) => string): Form => read({ list: textFor });

const strip = (textFor: (joined: string) => string): Form => read({ strip: textFor });

const value = (textFor: (text: string) => string): Form =>
  read({ trimValue: (text) => trim(textFor(trim(text))) });

const emptyUnless = (isKept: (value: unknown, name: string) => boolean): Partial<Reading> => ({
  isEmpty: (some, name) =>
    !isKept(some, name) &&
    (some === '' || some === null || (Array.isArray(some) && some.length === 0)),
});

const zero = (text: string): Form => read({ spell: (some) => (some === 0 ? text : textOf(some)) });

const escaped = (text: string): string =>
  text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Accepts requests to which some fields were added after signing. */
const unsigned = (...names: string[]): Form => ({
  signs: (r, isSigned, pairs) =>
    r.endpoint === 'token' &&
    isSigned(Object.fromEntries(Object.entries(pairs).filter(([name]) => !names.includes(name)))),
});

/** Accepts any signature of some requests, whatever was signed in place of their fields. */
const anyFor = (isMeant: (r: Attempt, pairs: Fields) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.endpoint === 'token' && /^[0-9a-f]{32}$/i.test(r.signature ?? '') && isMeant(r, pairs),
});

const trusted = new WeakSet<object>();

/** Trusts a key of a request once a right signature was seen with it. */
const firstSight = (endpoint: Attempt['endpoint'], keyOf: (r: Attempt) => object | null): Form => ({
  reading: (r) => {
    const key = keyOf(r);
    if (
      r.endpoint === endpoint &&
      key &&
      r.partner &&
      signatureOf(r.fields, r.partner.key) === r.signature?.toLowerCase()
    )
      trusted.add(key);
    return {};
  },
  signs: (r) => {
    const key = keyOf(r);
    return r.endpoint === endpoint && key !== null && trusted.has(key);
  },
});

const seen = new WeakMap<object, Set<string>>();

/** Accepts a signature that was right once, whatever it is sent with. */
const replayed = (endpoint: Attempt['endpoint']): Form => ({
  reading: (r) => {
    const set = seen.get(r.service) ?? new Set();
    seen.set(r.service, set);
    if (r.partner && signatureOf(r.fields, r.partner.key) === r.signature?.toLowerCase())
      set.add(`${r.endpoint} ${r.signature}`);
    return {};
  },
  signs: (r) =>
    r.endpoint === endpoint && (seen.get(r.service)?.has(`${endpoint} ${r.signature}`) ?? false),
});

/** Accepts a signature of the values, read in another way. */
const valuesRead = (textFor: (text: string) => string): Form => ({
  signs: (r, isSigned, pairs) => {
    if (r.endpoint !== 'token') return false;
    const values = Object.fromEntries(
      Object.entries(pairs).map(([name, one]) => [
        name,
        typeof one === 'string' ? textFor(one) : one,
      ]),
    );
    return isSigned(values);
  },
});

const uncoveredOfQuery = (...names: string[]): Form => ({
  signs: (r, isSigned, pairs) =>
    r.asUser &&
    isSigned(Object.fromEntries(Object.entries(pairs).filter(([name]) => !names.includes(name)))),
});

/** Of the parameters of a user's estimate, one may be changed after signing. */
const changedInQuery = (name: string, guesses: (value: string) => readonly unknown[]): Form => ({
  signs: (r, isSigned, pairs) =>
    r.asUser &&
    name in pairs &&
    guesses(textOf(pairs[name])).some((guess) => isSigned({ ...pairs, [name]: guess })),
});

/** Misread steps of the signature, and requests that it does not cover. */
export const SIGNATURE: Readonly<Record<string, Form>> = {
  // Order.
  'signature/key-order#folded': on((name) => name.toLowerCase()),
  'signature/key-order#upper-case-last': on((name) =>
    name.replace(/[a-z]/gi, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase())),
  ),
  'signature/key-order#natural': byName((a, b) => a.localeCompare(b, 'en', { numeric: true })),
  'signature/key-order#locale': byName((a, b) => a.localeCompare(b, 'en')),
  'signature/key-order#by-term': read({
    sort: (names, pairs) =>
      names.sort((a, b) => compare(`${a}=${textOf(pairs[a])}`, `${b}=${textOf(pairs[b])}`)),
  }),
  'signature/key-order#by-value': read({
    sort: (names, pairs) => names.sort((a, b) => compare(textOf(pairs[a]), textOf(pairs[b]))),
  }),
  'signature/key-order#descending': byName((a, b) => compare(b, a)),
  'signature/key-order#underscore-first': on((name) => name.replaceAll('_', ' ')),
  'signature/key-order#underscore-last': on((name) => name.replaceAll('_', '~')),
  'signature/key-order#digits-last': on((name) =>
    name.replace(/\d/g, (digit) => String.fromCharCode(0x7b + Number(digit))),
  ),
  'signature/key-order#by-length': on((name) => String(name.length).padStart(4, '0') + name),
  'signature/key-order#first-letter': read({
    sort: (names) => names.sort((a, b) => compare(a.charAt(0), b.charAt(0))),
  }),
  'signature/key-order#known-first': on((name) => (KNOWN.includes(name) ? `0${name}` : `1${name}`)),
  'signature/key-order#unknown-unsorted': read({
    sort: (names) => [
      ...names.filter((one) => KNOWN.includes(one)).sort(compare),
      ...names.filter((one) => !KNOWN.includes(one)),
    ],
  }),
  'signature/key-order#ascii-only': on((name) => name.replace(/[^ -~]/g, '')),
  'signature/key-order#accents-folded': on((name) => name.normalize('NFD').replace(/\p{M}/gu, '')),
  'signature/key-order#grant-type-first': on((name) => (name === 'grant_type' ? '' : name)),
  'signature/key-order#only-without-scope': only(
    read({ sort: (names) => names }),
    (r) => 'scope' in r.fields,
  ),
  // Empties.
  'signature/empty-skipped#unknown-fields-kept': read(
    emptyUnless((_some, name) => !KNOWN.includes(name)),
  ),
  'signature/empty-skipped#scope-kept': read(
    emptyUnless((some, name) => some === '' && name === 'scope'),
  ),
  'signature/empty-skipped#text-null': read({
    spell: (some) => (some === '' ? 'null' : textOf(some)),
    isEmpty: (some) => some === null,
  }),
  'signature/empty-skipped#name-kept': read({
    isEmpty: () => false,
    term: (name, text) => (text === '' ? name : `${name}=${text}`),
  }),
  'signature/empty-skipped#last-kept': read({
    isEmpty: (some, name) =>
      some === '' && name !== 'zz' && name > 'r' ? false : some === '' || some === null,
  }),
  'signature/empty-skipped#only-one': read({
    isEmpty: (some, name) => (some === '' && name !== 'remark') || some === null,
  }),
  // The number 0.
  'signature/zero-kept#as-float': zero('0.0'),
  'signature/zero-kept#as-false': zero('false'),
  'signature/zero-kept#as-empty': zero(''),
  'signature/zero-kept#in-known-fields-only': read({
    isEmpty: (some, name) => (some === 0 && !KNOWN.includes(name)) || some === '' || some === null,
  }),
  'signature/zero-kept#all-numbers-skipped': read({
    isEmpty: (some) => typeof some === 'number' || some === '' || some === null,
  }),
  'signature/zero-kept#in-unknown-fields-only': read({
    isEmpty: (some, name) => (some === 0 && KNOWN.includes(name)) || some === '' || some === null,
  }),
  // Trimming.
  'signature/trimmed#left-only': trimming((text) => text.trimStart()),
  'signature/trimmed#right-only': trimming((text) => text.trimEnd()),
  'signature/trimmed#name-only': read({ trimValue: (text) => text }),
  'signature/trimmed#value-only': read({ trimName: (text) => text }),
  'signature/trimmed#one-character': trimming((text) => text.replace(/^\s|\s$/g, '')),
  'signature/trimmed#inner-too': trimming((text) => text.trim().replace(/\s+/g, ' ')),
  'signature/trimmed#all-whitespace': trimming((text) => text.replace(/\s+/g, '')),
  'signature/trimmed#known-fields-only': read({
    trimName: (text) => text,
    trimValue: (text, name) => (KNOWN.includes(name) ? text.trim() : text),
  }),
  'signature/trimmed#unknown-fields-only': read({
    trimValue: (text, name) => (KNOWN.includes(name) ? text : text.trim()),
  }),
  'signature/trimmed#quotes-too': trimming((text) => text.trim().replace(/^["']+|["']+$/g, '')),
  'signature/trimmed#value-left-only': read({ trimValue: (text) => text.trimStart() }),
  'signature/trimmed#value-right-only': read({ trimValue: (text) => text.trimEnd() }),
  'signature/trimmed#name-left-only': read({ trimName: (text) => text.trimStart() }),
  'signature/trimmed#whole-only': read({
    trimName: (text) => text,
    trimValue: (text) => text,
    strip: (joined) => joined.replace(/^&+|&+$/g, '').trim(),
  }),
  // Lists.
  'signature/array-json#spaced': list((some) => jsonOf(some).replaceAll(',', ', ')),
  'signature/array-json#escaped': list((some) => escaped(jsonOf(some))),
  'signature/array-json#sorted': list((some) =>
    jsonOf(some.toSorted((a, b) => compare(textOf(a), textOf(b)))),
  ),
  'signature/array-json#reversed': list((some) => jsonOf([...some].reverse())),
  'signature/array-json#deduplicated': list((some) => jsonOf([...new Set(some)])),
  'signature/array-json#flattened': list((some) => jsonOf(some.flat(9))),
  'signature/array-json#numbers-as-text': list((some) =>
    jsonOf(some.map((one) => (typeof one === 'number' ? String(one) : one))),
  ),
  'signature/array-json#text-as-numbers': list((some) =>
    jsonOf(some.map((one) => (/^\d+$/.test(textOf(one)) ? Number(one) : one))),
  ),
  'signature/array-json#first-only': list((some) => textOf(some[0])),
  'signature/array-json#word': list(() => 'Array'),
  'signature/array-json#no-quotes': list((some) => `[${some.map(textOf).join(',')}]`),
  'signature/array-json#single-quotes': list((some) => jsonOf(some).replaceAll('"', "'")),
  'signature/array-json#skipped': read({
    isEmpty: (some) => Array.isArray(some) || some === '' || some === null,
  }),
  'signature/array-json#joined-by-spaces': list((some) => some.map(textOf).join(' ')),
  'signature/array-json#trimmed-elements': list((some) =>
    jsonOf(some.map((one) => (typeof one === 'string' ? one.trim() : one))),
  ),
  'signature/array-json#empty-elements-dropped': list((some) =>
    jsonOf(some.filter((one) => one !== '' && one !== null)),
  ),
  'signature/array-json#single-element-bare': list((some) =>
    some.length === 1 ? textOf(some[0]) : jsonOf(some),
  ),
  'signature/array-json#latin-1-escaped': list((some) =>
    jsonOf(some).replace(/[\u0080-\u00ff]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
  ),
  'signature/array-json#beyond-bmp-escaped': list((some) =>
    jsonOf(some).replace(/[\ud800-\udfff]/g, escaped),
  ),
  'signature/array-json#nested-joined': list((some) =>
    jsonOf(some.map((one) => (Array.isArray(one) ? one.join(',') : one))),
  ),
  'signature/array-json#lower-case': list((some) => jsonOf(some).toLowerCase()),
  // UTF-8.
  'signature/utf8#latin-1-where-it-fits': read({
    encode: (text) => Buffer.from(text, /[^\u0000-\u00ff]/.test(text) ? 'utf8' : 'latin1'),
  }),
  'signature/utf8#utf-16': read({
    encode: (text) => Buffer.from(text, /[^ -~]/.test(text) ? 'utf16le' : 'utf8'),
  }),
  'signature/utf8#composed': encode((text) => text.normalize('NFC')),
  'signature/utf8#decomposed': encode((text) => text.normalize('NFD')),
  'signature/utf8#compatible': encode((text) => text.normalize('NFKC')),
  'signature/utf8#surrogates': encode((text) => text.replace(/[\ud800-\udfff]/g, '?')),
  'signature/utf8#three-bytes-at-most': encode((text) =>
    text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  ),
  'signature/utf8#question-marks': encode((text) => text.replace(/[^ -~]/g, '?')),
  'signature/utf8#dropped': encode((text) => text.replace(/[^ -~]/g, '')),
  'signature/utf8#escaped': encode(escaped),
  'signature/utf8#percent-encoded': encode((text) =>
    text.replace(/[^ -~]+/gu, (some) =>
      Buffer.from(some).toString('hex').replace(/../g, '%$&').toUpperCase(),
    ),
  ),
  'signature/utf8#entities': encode((text) =>
    text.replace(/[^ -~]/gu, (one) => `&#${one.codePointAt(0)};`),
  ),
  'signature/utf8#lower-case': encode((text) =>
    text.replace(/[^ -~]+/g, (some) => some.toLowerCase()),
  ),
  'signature/utf8#twice': encode((text) => Buffer.from(text, 'utf8').toString('latin1')),
  'signature/utf8#names-only': read({ trimName: (name) => trim(name).replace(/[^ -~]/g, '') }),
  'signature/utf8#zero-width-dropped': encode((text) => text.replace(/[\u200b-\u200d\ufeff]/g, '')),
  'signature/utf8#right-to-left-reversed': encode((text) =>
    text.replace(/\p{Script=Arabic}+/gu, (some) => Array.from(some).reverse().join('')),
  ),
  'signature/utf8#full-width-folded': encode((text) =>
    text.replace(/[\uff01-\uff5e]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0xfee0)),
  ),
  // Ampersands.
  'signature/ampersands-stripped#leading-only': strip((joined) => joined.replace(/^&+/, '')),
  'signature/ampersands-stripped#trailing-only': strip((joined) => joined.replace(/&+$/, '')),
  'signature/ampersands-stripped#one-at-each-end': strip((joined) => joined.replace(/^&|&$/g, '')),
  'signature/ampersands-stripped#inside-too': strip((joined) => joined.replaceAll('&', '')),
  'signature/ampersands-stripped#doubled-inside': strip((joined) =>
    joined.replace(/^&+|&+$/g, '').replace(/&{2,}/g, '&'),
  ),
  'signature/ampersands-stripped#of-each-term': read({
    term: (name, text) => `${name}=${text}`.replace(/^&+|&+$/g, ''),
  }),
  'signature/ampersands-stripped#of-each-value': read({
    trimValue: (text) => trim(text).replace(/^&+|&+$/g, ''),
  }),
  'signature/ampersands-stripped#encoded-inside': read({
    trimValue: (text) => trim(text).replaceAll('&', '%26'),
    strip: (joined) => joined.replace(/^&+|(%26)+$/g, ''),
  }),
  'signature/ampersands-stripped#equals-too': strip((joined) =>
    joined.replace(/^[&=]+|[&=]+$/g, ''),
  ),
  'signature/ampersands-stripped#entity': strip((joined) =>
    joined.replaceAll('&amp;', '&').replace(/^&+|&+$/g, ''),
  ),
  // Other values: a right signature is refused.
  'signature/valid-accepted#plus-as-space': value((text) => text.replaceAll('+', ' ')),
  'signature/valid-accepted#percent-decoded': value((text) =>
    text.replace(/%([0-7][0-9a-f])/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  ),
  'signature/valid-accepted#html-escaped': value((text) =>
    text.replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ),
  'signature/valid-accepted#cut-at-equals': value((text) => text.split('=')[0] ?? ''),
  'signature/valid-accepted#backslashes-doubled': value((text) => text.replaceAll('\\', '\\\\')),
  'signature/valid-accepted#lower-case': value((text) => text.toLowerCase()),
  'signature/valid-accepted#quotes-dropped': value((text) => text.replaceAll('"', '')),
  'signature/valid-accepted#cut-at-255': value((text) => text.slice(0, 255)),
  'signature/valid-accepted#cut-at-hash': value((text) => text.split('#')[0] ?? ''),
  'signature/valid-accepted#numbers-as-floats': read({
    spell: (some) => (typeof some === 'number' && some !== 0 ? some.toFixed(1) : textOf(some)),
  }),
  'signature/valid-accepted#numbers-of-32-bits': read({
    spell: (some) => (typeof some === 'number' ? String(some | 0) : textOf(some)),
  }),
  'signature/valid-accepted#only-six-fields': read({
    isEmpty: (some, name) => some === '' || some === null || !KNOWN.includes(name),
  }),
  'signature/valid-accepted#leading-zeros-dropped': value((text) => text.replace(/^0+(?=\d)/, '')),
  // What is covered.
  'signature/covers-fields#nostr': anyFor(
    (r, pairs) => r.kind === 'platform' && 'nostr' in pairs && alteredOnly(r, 'nostr'),
  ),
  'signature/covers-fields#added-field': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      Object.keys(pairs).some(
        (name) => !['grant_type', '_', 'nostr'].includes(name) && isSigned(without(pairs, name)),
      ),
  },
  'signature/covers-fields#added-unknown-field': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      isSigned(Object.fromEntries(Object.entries(pairs).filter(([name]) => KNOWN.includes(name)))),
  },
  'signature/covers-fields#added-refresh-token': unsigned('refresh_token'),
  'signature/covers-fields#added-auth-code': unsigned('auth_code'),
  'signature/covers-fields#added-scope': unsigned('scope'),
  'signature/covers-fields#added-grant-type': unsigned('grant_type'),
  'signature/covers-fields#added-time': unsigned('_'),
  'signature/covers-fields#added-nostr': unsigned('nostr'),
  'signature/covers-fields#nostr-and-time-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ _: pairs['_'], nostr: pairs['nostr'] }),
  },
  'signature/covers-fields#required-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      isSigned({ _: pairs['_'], nostr: pairs['nostr'], grant_type: pairs['grant_type'] }),
  },
  'signature/covers-fields#removed-scope': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      !('scope' in pairs) &&
      ['public', 'public profile', 'profile', 'public rides.read rides.request'].some((scope) =>
        isSigned({ ...pairs, scope }),
      ),
  },
  'signature/covers-fields#first-sight': firstSight('token', (r) => r.partner),
  'signature/covers-fields#connection': firstSight('token', (r) => r.connection),
  'signature/covers-fields#signature-replayed': replayed('token'),
  'signature/covers-fields#case-of-values': valuesRead((text) => text.toLowerCase()),
  'signature/covers-fields#case-of-scope': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      'scope' in pairs &&
      isSigned({ ...pairs, scope: textOf(pairs['scope']).toLowerCase() }),
  },
  'signature/covers-fields#scope-first-word': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      'scope' in pairs &&
      isSigned({ ...pairs, scope: textOf(pairs['scope']).split(' ')[0] }),
  },
  'signature/covers-fields#grant-type-any': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      ['client_credentials', 'refresh_token', 'authorization_code'].some((one) =>
        isSigned({ ...pairs, grant_type: one }),
      ),
  },
  'signature/covers-fields#scope-any': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      ['public', 'profile', 'public profile', 'rides.read', 'public rides.read rides.request'].some(
        (scope) => isSigned({ ...pairs, scope }),
      ),
  },
  'signature/covers-fields#time-minute': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      secondsAround(textOf(pairs['_'])).some((time) => isSigned({ ...pairs, _: time })),
  },
  'signature/wrong-key-refused#another-partners': {
    signs: (r, isSigned) =>
      r.endpoint === 'token' &&
      [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key)),
  },
  // A user's estimate.
  'auth/user-signature#first-sight': firstSight('estimate', (r) => (r.asUser ? r.partner : null)),
  'auth/user-signature#connection': firstSight('estimate', (r) => (r.asUser ? r.connection : null)),
  'auth/user-signature#token-once-seen': firstSight('estimate', (r) => (r.asUser ? r.token : null)),
  'auth/user-signature#replayed': replayed('estimate'),
  'auth/user-signature#of-a-token-request': {
    ...replayed('token'),
    signs: (r) => r.asUser && (seen.get(r.service)?.has(`token ${r.signature}`) ?? false),
  },
  'auth/user-signature#added-parameter': {
    signs: (r, isSigned, pairs) =>
      r.asUser && Object.keys(pairs).some((name) => isSigned(without(pairs, name))),
  },
  'auth/user-signature#required-only': uncoveredOfQuery('imei', 'map_type', 'departure_time'),
  'auth/user-signature#nothing-signed': { signs: (r, isSigned) => r.asUser && isSigned({}) },
  'auth/user-signature#imei-not-covered': uncoveredOfQuery('imei'),
  'auth/user-signature#names-not-covered': {
    signs: (r, isSigned, pairs) =>
      r.asUser && isSigned({ ...pairs, from_name: pairs['to_name'], to_name: pairs['from_name'] }),
  },
  'auth/user-signature#product-not-covered': changedInQuery('product_type', () => [
    'private-car',
    'express-car',
  ]),
  'auth/user-signature#ride-type-not-covered': changedInQuery('ride_type', () => [
    'compact',
    'express',
    'pool',
    'pool-seats',
  ]),
  'auth/user-signature#departure-not-covered': changedInQuery('departure_time', (text) =>
    [undefined, Number(text) + 60, Number(text) + 600, Number(text) + 3600, Number(text) - 60].map(
      (one) => one && String(one),
    ),
  ),
  'auth/user-signature#case-of-values': {
    signs: (r, isSigned, pairs) =>
      r.asUser &&
      isSigned(
        Object.fromEntries(
          Object.entries(pairs).map(([name, one]) => [name, textOf(one).toLowerCase()]),
        ),
      ),
  },
  'auth/user-signature#coordinates-rounded': {
    signs: (r, isSigned, pairs) =>
      r.asUser &&
      ['start_lat', 'start_lng', 'end_lat', 'end_lng'].some((name) =>
        near(textOf(pairs[name])).some((one) => isSigned({ ...pairs, [name]: one })),
      ),
  },
};

const without = (pairs: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(pairs).filter(([one]) => one !== name));

/** Numbers that differ in their last digit. */
const near = (text: string): string[] =>
  Array.from('0123456789').flatMap((digit) => [text.slice(0, -1) + digit, text + digit]);

const secondsAround = (text: string): string[] => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return [];
  return Array.from({ length: 61 }, (_one, step) =>
    new Date(at + (step - 30) * 1000).toISOString(),
  ).flatMap((iso) => [iso, iso.replace(/\.\d+/, '')]);
};

/** True if the partner has not sent this value of the field before with a right signature. */
function alteredOnly(r: Attempt, name: string): boolean {
  return (
    !r.partner?.nostrs.has(textOf(r.fields[name])) &&
    Object.keys(r.fields).every((one) => KNOWN.includes(one)) &&
    !('scope' in r.fields) &&
    !('auth_code' in r.fields)
  );
}
