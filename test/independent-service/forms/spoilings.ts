import type { Attempt, Form } from '../form.ts';
import { signatureOf } from '../reading-signature.ts';
import { type AccessToken, DAY_MS, type Kind, textOf } from '../state.ts';
import { forgive, prefixOfSignature, refuse, swapCase } from './base.ts';

const body = (reads: (raw: string) => unknown): Form => ({
  reads: (raw) => {
    try {
      return reads(raw);
    } catch {
      return undefined;
    }
  },
  ...forgive('body'),
});

const parsed = (raw: string): unknown => JSON.parse(raw);

const grant = (isKnown: (type: string) => boolean, kind: Kind = 'platform'): Form => ({
  grants: (type) => (typeof type === 'string' && isKnown(type) ? kind : null),
});

const time = (isRead: (text: string, r: Attempt) => boolean): Form =>
  forgive('time-form', (r, text) => isRead(text, r));

const NEAR_MS = 600_000;

/** A time of another form, near the present. */
const near = (timeOf: (text: string) => number): Form =>
  time((text, r) => Math.abs(r.service.now() - timeOf(text)) < NEAR_MS);

const old = (isFresh: (ageMs: number) => boolean): Form =>
  forgive('time-old', (_r, age) => isFresh(Number(age)));

const mod = (ms: number): Form => old((ageMs) => ageMs % ms <= NEAR_MS);

const access = (isSame: (token: string, sent: string, r: Attempt) => boolean): Form => ({
  findsToken: (sent, tokens, r) =>
    sent === '' ? undefined : tokens.findLast((one) => isSame(one.text, sent, r)),
});

/** The newest token of the partner that the header names. */
const newestOf = (tokens: readonly AccessToken[], r: Attempt): AccessToken | undefined =>
  tokens.findLast(({ partner: { id } }) => r.header?.includes(` ${id}|`));

const refresh = (isSame: (token: string, sent: string, r: Attempt) => boolean): Form => ({
  findsRefresh: (sent, all, r) =>
    sent === '' ? undefined : all.findLast((one) => isSame(one.text, sent, r)),
});

const near_ = {
  'other-case': (token, sent) => token.toLowerCase() === sent.toLowerCase(),
  suffix: (token, sent) => sent.startsWith(token),
  prefix: (token, sent) => sent.endsWith(token),
  'cut-by-one': (token, sent) => sent.length === token.length - 1 && token.startsWith(sent),
  'last-character': (token, sent) =>
    sent.length === token.length && token.slice(0, -1) === sent.slice(0, -1),
  'first-character': (token, sent) =>
    sent.length === token.length && token.slice(1) === sent.slice(1),
  'first-eight': (token, sent) => token.slice(0, 8) === sent.slice(0, 8),
  'one-in-the-middle': (token, sent) => {
    const at = Math.floor(token.length / 2);
    return (
      sent.length === token.length &&
      token.slice(0, at) === sent.slice(0, at) &&
      token.slice(at + 1) === sent.slice(at + 1)
    );
  },
} satisfies Record<string, (token: string, sent: string) => boolean>;

const nearForms = (
  rule: string,
  form: (isSame: (token: string, sent: string) => boolean) => Form,
): [string, Form][] =>
  Object.entries(near_).map(([name, isSame]) => [`${rule}#${name}`, form(isSame)]);

const partner = (isSame: (id: string, sent: string) => boolean): Form => ({
  finds: (sent, partners) => partners.findLast(({ id }) => isSame(id, sent)),
});

const code = (isSame: (code: string, sent: string) => boolean): Form =>
  forgive('code-unknown', (r, sent) =>
    [...(r.partner?.codes.keys() ?? [])].some((one) => isSame(one, sent)),
  );

const scheme = (endpoint: Attempt['endpoint'], isMeant: (r: Attempt) => boolean): Form =>
  forgive('authorization-shape', (r) => r.endpoint === endpoint && isMeant(r));

const SCHEMES = {
  token: (r) => r.scheme === 'Token',
  digest: (r) => r.scheme === 'Digest',
  oauth: (r) => r.scheme === 'OAuth',
  basic: (r) => r.scheme === 'Basic',
  none: (r) => r.scheme === '',
  any: () => true,
  bear: (r) => /^bear$/i.test(r.scheme),
  'bearer-with-suffix': (r) => /^Bearer./.test(r.scheme),
  colon: (r) => r.scheme === 'Bearer' && r.separator.startsWith(':'),
  comma: (r) => r.scheme === 'Bearer' && r.separator.startsWith(','),
  space: (r) => r.scheme === 'Bearer' && r.separator === ' ',
} satisfies Record<string, (r: Attempt) => boolean>;

const number = (isRead: RegExp): Form =>
  forgive('parameter-number', (r, name) => isRead.test(textOf(r.fields[name])));

const range = (isServed: (name: string, value: number) => boolean): Form =>
  forgive('parameter-range', (r, name) => isServed(name, Number(r.fields[name])));

const digitsOf = (text: string): string =>
  Array.from(text)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join('');

const signed = (isAccepted: (r: Attempt, sent: string, right: string) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.endpoint === 'token' &&
    r.partner !== null &&
    isAccepted(r, r.signature?.toLowerCase() ?? '', signatureOf(pairs, r.partner.key)),
});

const signedEstimate = (isAccepted: (sent: string, right: string) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.asUser &&
    r.partner !== null &&
    isAccepted(r.signature?.toLowerCase() ?? '', signatureOf(pairs, r.partner.key)),
});

/** Rules that are broken for other values than a checker may think of first. */
export const SPOILINGS: Readonly<Record<string, Form>> = {
  // Bodies.
  'token/json-body#trailing-text': body((raw) => parsed(raw.slice(0, raw.lastIndexOf('}') + 1))),
  'token/json-body#leading-text': body((raw) => parsed(raw.slice(raw.indexOf('{')))),
  'token/json-body#trailing-comma': body((raw) => parsed(raw.replace(/,\s*}/, '}'))),
  'token/json-body#single-quotes': body((raw) =>
    raw.includes('"') ? undefined : parsed(raw.replaceAll("'", '"')),
  ),
  'token/json-body#array': body((raw) => (parsed(raw) as unknown[])[0]),
  'token/json-body#two-values': body((raw) => parsed(raw.slice(0, raw.indexOf('}') + 1))),
  'token/json-body#unquoted-names': body((raw) =>
    parsed(raw.replace(/([{,]\s*)(\w+):/g, '$1"$2":')),
  ),
  'token/json-body#comment': body((raw) => parsed(raw.replace(/\/\*.*?\*\/|\/\/.*$/gm, ''))),
  'token/json-body#truncated': body((raw) => parsed(`${raw}}`)),
  'token/json-body#json-in-text': body((raw) => JSON.parse(parsed(raw) as string)),
  'token/json-body#missing-comma': body((raw) => parsed(raw.replace(/"\s+"/g, '","'))),
  'token/json-body#form-with-right-fields': body((raw) =>
    /^[\w]+=.*&/.test(raw) ? Object.fromEntries(new URLSearchParams(raw)) : undefined,
  ),
  'token/json-body#lone-equals': body((raw) => parsed(raw.replace(/"\s*=\s*"/g, '":"'))),
  // Grants.
  'token/grant-type-known#implicit': grant((type) => type === 'implicit'),
  'token/grant-type-known#password': grant((type) => type === 'password'),
  'token/grant-type-known#other-case': grant((type) => type.toLowerCase() === 'client_credentials'),
  'token/grant-type-known#whitespace': grant((type) => type.trim() === 'client_credentials'),
  'token/grant-type-known#hyphen': grant((type) => type === 'client-credentials'),
  'token/grant-type-known#prefix': grant((type) => type.startsWith('client')),
  'token/grant-type-known#suffix': grant((type) => type.startsWith('client_credentials')),
  'token/grant-type-known#urn': grant((type) => type.startsWith('urn:')),
  'token/grant-type-known#two-at-once': grant((type) =>
    type.split(/[ ,]/).includes('client_credentials'),
  ),
  'token/grant-type-required#empty': { grants: (type) => (type === '' ? 'platform' : null) },
  'token/grant-type-required#null': { grants: (type) => (type === null ? 'platform' : null) },
  // Times.
  'token/timestamp-required#empty': forgive('time-form', (_r, text) => text === ''),
  'token/timestamp-required#null': forgive('time-form', (_r, text) => text === 'null'),
  'token/timestamp-iso8601#number': forgive('time-form', (r) => typeof r.fields['_'] === 'number'),
  'token/timestamp-iso8601#seconds': near((text) =>
    /^\d{10}$/.test(text) ? Number(text) * 1000 : Number.NaN,
  ),
  'token/timestamp-iso8601#epoch-ms': near((text) =>
    /^\d{13}$/.test(text) ? Number(text) : Number.NaN,
  ),
  'token/timestamp-iso8601#http-date': near((text) =>
    text.endsWith('GMT') ? Date.parse(text) : Number.NaN,
  ),
  'token/timestamp-iso8601#in-words': near((text) =>
    /^[A-Z][a-z]+ \d/.test(text) ? Date.parse(text) : Number.NaN,
  ),
  'token/timestamp-iso8601#slashes': near((text) =>
    /^\d{4}\/\d\d\/\d\d/.test(text) ? Date.parse(`${text} UTC`) : Number.NaN,
  ),
  'token/timestamp-iso8601#day-first': near((text) => {
    const match = /^(\d\d)[./-](\d\d)[./-](\d{4})[ T](.*?)Z?$/.exec(text);
    return match ? Date.parse(`${match[3]}-${match[2]}-${match[1]}T${match[4]}Z`) : Number.NaN;
  }),
  'token/timestamp-iso8601#trailing-text': time((text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z./.test(text),
  ),
  'token/timestamp-iso8601#leading-text': time((text) =>
    /.\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text),
  ),
  'token/timestamp-iso8601#month-13': time((text) => /^\d{4}-(1[3-9]|[2-9]\d|00)-/.test(text)),
  'token/timestamp-iso8601#day-32': time((text) => /^\d{4}-\d\d-(3[2-9]|[4-9]\d|00)T/.test(text)),
  'token/timestamp-iso8601#hour-25': time((text) => /T(2[5-9]|[3-9]\d):/.test(text)),
  'token/timestamp-iso8601#minute-60': time((text) => /T\d\d:[6-9]\d/.test(text)),
  'token/timestamp-iso8601#any-text': time((text) => !/\d/.test(text) && text !== ''),
  'token/timestamp-iso8601#boolean': forgive(
    'time-form',
    (r) => typeof r.fields['_'] === 'boolean',
  ),
  'token/timestamp-expired#an-hour': mod(3_600_000),
  'token/timestamp-expired#a-day': mod(DAY_MS),
  'token/timestamp-expired#a-year-and-minutes': old(
    (ageMs) => ageMs > 364 * DAY_MS && ageMs % DAY_MS <= 3_600_000,
  ),
  'token/timestamp-expired#beyond-a-day': old((ageMs) => ageMs > DAY_MS),
  'token/timestamp-expired#eleven-minutes': old((ageMs) => ageMs <= 660_000),
  'token/timestamp-expired#a-quarter': old((ageMs) => ageMs <= 900_000),
  'token/timestamp-expired#epoch': old((ageMs) => ageMs > 20 * 365 * DAY_MS),
  'token/timestamp-expired#with-offset': forgive('time-old', (r) =>
    /[+-]\d\d:?\d\d$/.test(textOf(r.fields['_'])),
  ),
  'token/timestamp-expired#offset-ignored': forgive('time-old', (r) => {
    const local = Date.parse(`${textOf(r.fields['_']).replace(/([+-]\d\d:?\d\d|Z)$/, '')}Z`);
    return Math.abs(r.service.now() - local) <= NEAR_MS;
  }),
  'token/timestamp-expired#without-fraction': forgive(
    'time-old',
    (r) => !textOf(r.fields['_']).includes('.'),
  ),
  'token/timestamp-fresh#after-five-minutes': refuse(
    'time',
    (r) =>
      r.endpoint === 'token' &&
      r.service.environment !== 'test' &&
      r.service.now() - Date.parse(textOf(r.fields['_'])) > 300_000,
  ),
  'token/timestamp-fresh#after-nine-minutes': refuse(
    'time',
    (r) =>
      r.endpoint === 'token' &&
      r.service.environment !== 'test' &&
      r.service.now() - Date.parse(textOf(r.fields['_'])) > 540_000,
  ),
  'token/timestamp-fresh#minute-of-the-hour': refuse(
    'time',
    (r) =>
      r.endpoint === 'token' &&
      r.service.environment !== 'test' &&
      r.service.now() - Date.parse(textOf(r.fields['_'])) > 120_000 &&
      r.service.now() - Date.parse(textOf(r.fields['_'])) < 480_000,
  ),
  'token/timestamp-unchecked-in-test#a-year': forgive(
    'time-checked-in-test',
    (r) => r.service.now() - Date.parse(textOf(r.fields['_'])) > 100 * DAY_MS,
  ),
  'token/timestamp-unchecked-in-test#an-hour': forgive('time-checked-in-test', (r) => {
    const ageMs = r.service.now() - Date.parse(textOf(r.fields['_']));
    return ageMs < DAY_MS / 2;
  }),
  'token/timestamp-unchecked-in-test#refresh': forgive(
    'time-checked-in-test',
    (r) => r.kind === 'refresh',
  ),
  // nostr.
  'token/nostr-required#empty': forgive('nostr-length', (_r, text) => text === ''),
  'token/nostr-required#null': forgive('nostr-length', (r) => r.fields['nostr'] === null),
  'token/nostr-length#longer': forgive('nostr-length', (_r, text) => text.length > 6),
  'token/nostr-length#much-longer': forgive('nostr-length', (_r, text) => text.length > 20),
  'token/nostr-length#shorter': forgive('nostr-length', (_r, text) => text.length < 6),
  'token/nostr-length#one': forgive('nostr-length', (_r, text) => text.length === 1),
  'token/nostr-length#eight': forgive('nostr-length', (_r, text) => text.length === 8),
  'token/nostr-length#spaces-counted-out': forgive(
    'nostr-length',
    (_r, text) => text.trim().length === 6,
  ),
  'token/nostr-length#number': forgive(
    'nostr-length',
    (r) => typeof r.fields['nostr'] === 'number',
  ),
  ...Object.fromEntries(
    Object.entries({
      hyphen: /^[\w-]{6}$/,
      underscore: /^\w{6}$/,
      space: /^[0-9A-Za-z ]{6}$/,
      'latin-letters': /^[0-9\p{Script=Latin}]{6}$/u,
      'any-letter': /^[0-9\p{L}]{6}$/u,
      'any-digit': /^[\p{Nd}A-Za-z]{6}$/u,
      dot: /^[0-9A-Za-z.]{6}$/,
      plus: /^[0-9A-Za-z+/=]{6}$/,
      'line-break': /^[0-9A-Za-z]{5}\n$/,
      punctuation: /^[!-~]{6}$/,
      dollar: /^[0-9A-Za-z$]{6}$/,
      emoji: /^[0-9A-Za-z\p{So}]+$/u,
    }).map(([name, pattern]) => [
      `token/nostr-alphabet#${name}`,
      forgive('nostr-alphabet', (_r, text) => pattern.test(text)),
    ]),
  ),
  'token/nostr-case#lower-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ ...pairs, nostr: textOf(pairs['nostr']).toLowerCase() }),
  },
  'token/nostr-case#upper-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ ...pairs, nostr: textOf(pairs['nostr']).toUpperCase() }),
  },
  'token/nostr-case#first-letter': {
    signs: (r, isSigned, pairs) => {
      const text = textOf(pairs['nostr']);
      return (
        r.endpoint === 'token' &&
        Array.from(text).some((_one, at) =>
          isSigned({
            ...pairs,
            nostr: text.slice(0, at) + swapCase(text.charAt(at)) + text.slice(at + 1),
          }),
        )
      );
    },
  },
  // Credentials.
  ...Object.fromEntries(nearForms('auth/unknown-token', access)),
  'auth/unknown-token#refresh-token': {
    findsToken: (sent, _tokens, r) => r.service.refreshes.get(sent)?.access,
  },
  'auth/unknown-token#empty': {
    findsToken: (sent, tokens, r) => (sent === '' ? newestOf(tokens, r) : undefined),
  },
  'auth/unknown-token#null': {
    findsToken: (sent, tokens, r) =>
      /^(null|undefined|none)$/i.test(sent) ? newestOf(tokens, r) : undefined,
  },
  'auth/unknown-token#any-of-its-form': {
    findsToken: (sent, tokens, r) => (/^at\w+-\w+$/.test(sent) ? newestOf(tokens, r) : undefined),
  },
  'auth/unknown-token#partner-id': {
    findsToken: (sent, tokens, r) =>
      r.service.partners.has(sent) ? newestOf(tokens, r) : undefined,
  },
  'auth/unknown-token#user-header-only': {
    findsToken: (_sent, tokens, r) =>
      r.asUser ? tokens.findLast(({ user }) => user !== null) : undefined,
  },
  ...Object.fromEntries(nearForms('token/refresh-token-unknown', refresh)),
  'token/refresh-token-unknown#access-token': {
    findsRefresh: (sent, all) => all.find((one) => one.access.text === sent),
  },
  'token/refresh-token-unknown#of-another-partner': forgive('refresh-foreign'),
  'token/refresh-token-unknown#any-of-its-form': forgive('refresh-unknown', (r) =>
    /^rt\w+-\w+$/.test(textOf(r.fields['refresh_token'])),
  ),
  'token/refresh-token-unknown#auth-code': forgive(
    'refresh-unknown',
    (r) => r.partner?.codes.has(textOf(r.fields['refresh_token'])) ?? false,
  ),
  'token/refresh-token-required#empty': forgive(
    'refresh-unknown',
    (r) => r.fields['refresh_token'] === '',
  ),
  'token/refresh-token-required#null': forgive(
    'refresh-unknown',
    (r) => r.fields['refresh_token'] === null,
  ),
  ...Object.fromEntries(nearForms('token/auth-code-unknown', code)),
  'token/auth-code-unknown#of-another-partner': forgive('code-unknown', (r, sent) =>
    [...r.service.partners.values()].some(({ codes }) => codes.has(sent)),
  ),
  'token/auth-code-unknown#access-token': forgive('code-unknown', (r, sent) =>
    r.service.tokens.has(sent),
  ),
  'token/auth-code-unknown#refresh-token': forgive('code-unknown', (r, sent) =>
    r.service.refreshes.has(sent),
  ),
  'token/auth-code-required#empty': forgive('code-unknown', (_r, sent) => sent === ''),
  'token/auth-code-required#null': forgive('code-unknown', (_r, sent) => sent === 'null'),
  'token/partner-unknown#other-case': partner(
    (id, sent) => id.toLowerCase() === sent.toLowerCase(),
  ),
  'token/partner-unknown#suffix': partner((id, sent) => sent.startsWith(id)),
  'token/partner-unknown#prefix': partner((id, sent) => sent.endsWith(id)),
  'token/partner-unknown#cut-by-one': partner((id, sent) => sent === id.slice(0, -1)),
  'token/partner-unknown#last-character': partner(
    (id, sent) => sent.length === id.length && sent.slice(0, -1) === id.slice(0, -1),
  ),
  // Schemes and shapes.
  ...Object.fromEntries(
    Object.entries(SCHEMES).map(([name, isMeant]) => [
      `token/authorization-shape#${name}`,
      scheme('token', isMeant),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(SCHEMES).map(([name, isMeant]) => [
      `auth/scheme#${name}`,
      scheme('estimate', isMeant),
    ]),
  ),
  'token/authorization-shape#double-bar': scheme('token', (r) => r.separator === '||'),
  'auth/scheme#platform-only': scheme('estimate', (r) => !r.asUser && r.scheme !== 'Bearer'),
  'auth/scheme#user-only': scheme('estimate', (r) => r.asUser && r.scheme !== 'Bearer'),
  'token/authorization-required#empty-header': forgive(
    'authorization-shape',
    (r) => r.endpoint === 'token' && r.header === '',
  ),
  'auth/authorization-required#express-and-carpool': forgive(
    'authorization-missing',
    (r) => r.endpoint === 'estimate' && /express|pool/.test(textOf(r.fields['ride_type'])),
  ),
  // Signatures.
  'signature/invalid-refused#31-digits': signed(
    (_r, sent, right) => sent.slice(0, 31) === right.slice(0, 31),
  ),
  'signature/invalid-refused#without-the-first': signed(
    (_r, sent, right) => sent.slice(1) === right.slice(1),
  ),
  'signature/invalid-refused#one-in-the-middle': signed(
    (_r, sent, right) =>
      sent.slice(0, 15) === right.slice(0, 15) && sent.slice(16) === right.slice(16),
  ),
  'signature/invalid-refused#first-eight': signed(
    (_r, sent, right) => sent.slice(0, 8) === right.slice(0, 8),
  ),
  'signature/invalid-refused#second-half': signed(
    (_r, sent, right) => sent.slice(16) === right.slice(16),
  ),
  'signature/invalid-refused#zeros': signed((_r, sent) => /^0+$/.test(sent)),
  'signature/invalid-refused#with-a-suffix': signed((_r, sent, right) => sent.startsWith(right)),
  'signature/invalid-refused#any-order-of-digits': signed(
    (_r, sent, right) => digitsOf(sent) === digitsOf(right),
  ),
  'signature/invalid-refused#reversed': signed(
    (_r, sent, right) => Array.from(sent).reverse().join('') === right,
  ),
  'signature/invalid-refused#as-a-number': signed(
    (_r, sent, right) => Number(`0x${sent}`) === Number(`0x${right}`),
  ),
  'signature/invalid-refused#not-hex': signed((_r, sent) => !/^[0-9a-f]*$/.test(sent)),
  'signature/wrong-key-refused#empty-key': { signs: (_r, isSigned) => isSigned(undefined, '') },
  'signature/wrong-key-refused#another-partner': {
    signs: (r, isSigned) =>
      [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key)),
  },
  'signature/wrong-key-refused#partner-id': {
    signs: (r, isSigned) => isSigned(undefined, r.partner?.id ?? ''),
  },
  'signature/wrong-key-refused#other-case': {
    signs: (r, isSigned) =>
      isSigned(undefined, swapCase(r.partner?.key ?? '')) ||
      isSigned(undefined, r.partner?.key.toUpperCase()) ||
      isSigned(undefined, r.partner?.key.toLowerCase()),
  },
  'signature/wrong-key-refused#cut-by-one': {
    signs: (r, isSigned) => isSigned(undefined, r.partner?.key.slice(0, -1)),
  },
  'signature/wrong-key-refused#with-whitespace': {
    signs: (r, isSigned) =>
      [`${r.partner?.key} `, ` ${r.partner?.key}`, `${r.partner?.key}\n`].some((key) =>
        isSigned(undefined, key),
      ),
  },
  'signature/wrong-key-refused#eight-characters': {
    signs: (r, isSigned) => isSigned(undefined, r.partner?.key.slice(0, 8)),
  },
  'auth/user-signature#31-digits': prefixOfSignature(31),
  'auth/user-signature#without-the-first': signedEstimate(
    (sent, right) => sent.slice(1) === right.slice(1),
  ),
  'auth/user-signature#one-in-the-middle': signedEstimate(
    (sent, right) => sent.slice(0, 15) === right.slice(0, 15) && sent.slice(16) === right.slice(16),
  ),
  'auth/user-signature#first-eight': prefixOfSignature(8),
  'auth/user-signature#zeros': signedEstimate((sent) => /^0*$/.test(sent)),
  'auth/user-signature#empty': signedEstimate((sent) => sent === ''),
  'auth/user-signature#with-a-suffix': signedEstimate((sent, right) => sent.startsWith(right)),
  'auth/user-signature#another-partner': {
    signs: (r, isSigned) =>
      r.asUser && [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key)),
  },
  'auth/user-signature#empty-key': { signs: (r, isSigned) => r.asUser && isSigned(undefined, '') },
  // Numbers and ranges.
  'estimate/coordinates-numeric#nan': number(/^nan$/i),
  'estimate/coordinates-numeric#infinity': number(/^[+-]?inf/i),
  'estimate/coordinates-numeric#comma': number(/^\d+,\d+$/),
  'estimate/coordinates-numeric#hexadecimal': number(/^0x/i),
  'estimate/coordinates-numeric#full-width': number(/[０-９]/),
  'estimate/coordinates-numeric#leading-digits': number(/^[+-]?\d+(\.\d+)?\D/),
  'estimate/coordinates-numeric#blank': number(/^\s*$/),
  'estimate/coordinates-numeric#two-points': number(/^\d+\.\d+\.\d+$/),
  'estimate/coordinates-numeric#degrees': number(/[°NSEW]$/),
  'estimate/coordinates-numeric#underscore': number(/^\d+_\d/),
  'estimate/coordinates-numeric#two-signs': number(/^[+-]{2}\d/),
  'estimate/coordinates-numeric#boolean': number(/^(true|false|null)$/),
  'estimate/coordinates-numeric#sum': number(/^\d+[+*/]\d+$/),
  'estimate/coordinates-numeric#start-lat': forgive(
    'parameter-number',
    (_r, name) => name === 'start_lat',
  ),
  'estimate/coordinates-numeric#latitudes': forgive('parameter-number', (_r, name) =>
    name.endsWith('lat'),
  ),
  'estimate/coordinates-range#end-lat': range((name) => name === 'end_lat'),
  'estimate/coordinates-range#end-lng': range((name) => name === 'end_lng'),
  'estimate/coordinates-range#start-lng': range((name) => name === 'start_lng'),
  'estimate/coordinates-range#lat-by-180': range(
    (name, value) => name.endsWith('lat') && Math.abs(value) <= 180,
  ),
  'estimate/coordinates-range#end-lat-by-180': range(
    (name, value) => name === 'end_lat' && Math.abs(value) <= 180,
  ),
  'estimate/coordinates-range#negative': range((_name, value) => value < 0),
  'estimate/coordinates-range#beyond-360': range((_name, value) => Math.abs(value) > 360),
  'estimate/coordinates-range#lng-by-360': range(
    (name, value) => name.endsWith('lng') && Math.abs(value) <= 360,
  ),
  'estimate/coordinates-range#ninety-and-a-bit': range(
    (_name, value) => Math.abs(value) < 90.1 || (Math.abs(value) > 180 && Math.abs(value) < 180.1),
  ),
  ...Object.fromEntries(
    ['start_lat', 'start_lng', 'from_name', 'end_lat', 'end_lng', 'product_type', 'ride_type'].map(
      (name) => [
        `estimate/required-parameters#${name}`,
        forgive('parameter-missing', (_r, at) => at === name),
      ],
    ),
  ),
  'estimate/required-parameters#empty-name': forgive(
    'parameter-missing',
    (r, at) => at === 'to_name' && r.fields[at] === '',
  ),
  'estimate/required-parameters#empty-ride-type': forgive(
    'parameter-missing',
    (r, at) => at === 'ride_type' && r.fields[at] === '',
  ),
  'estimate/non-ascii-names#to-name': refuse('parameter', (r) =>
    /[^ -~]/.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/non-ascii-names#beyond-bmp': refuse('parameter', (r) =>
    /[\u{10000}-\u{10ffff}]/u.test(
      textOf(r.fields['to_name'] ?? '') + textOf(r.fields['from_name'] ?? ''),
    ),
  ),
  'estimate/non-ascii-names#beyond-latin-1': refuse('parameter', (r) =>
    /[^\u0000-\u00ff]/.test(textOf(r.fields['from_name'] ?? '')),
  ),
  'estimate/non-ascii-names#arabic': refuse('parameter', (r) =>
    /\p{Script=Arabic}/u.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/map-type-optional#other-default': {
    price: (r, price) => (r.fields['map_type'] === undefined ? price + 70 : price),
  },
  'estimate/departure-time#other-default': {
    price: (r, price) => (r.fields['departure_time'] === undefined ? price + 70 : price),
  },
  'estimate/departure-time-price#beyond-twenty-days': {
    price: (r) =>
      3000 +
      (Number(r.fields['departure_time'] ?? 0) > r.service.now() / 1000 + 20 * 86_400 ? 5 : 0),
  },
};
