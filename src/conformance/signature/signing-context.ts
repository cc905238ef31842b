import {
  ESTIMATE_PARAMETERS,
  ESTIMATES_PATH,
  OPTIONAL_ESTIMATE_PARAMETERS,
  PRODUCT_TYPES,
  RIDE_TYPES,
  SCOPES,
  TOKEN_PATH,
} from '../../interface/limits.ts';
import { explainSignature, type SignaturePairs } from '../../interface/signature.ts';
import type { PartnerCredentials } from '../partner-credentials.ts';
import { percentDecode } from './notations.ts';
import { otherNostrs, scopeNotations, timeNotations, unixNotations } from './other-notations.ts';
import { likelyTimes, otherTimes } from './other-times.ts';
import type { Pairs } from './recipe.ts';

/** Fields that are signed (gaps `signed-fields-token`, `signed-fields-estimate`). */
export interface SignedFields {
  readonly token: 'all' | readonly string[];
  readonly estimate: 'all' | readonly string[];
}

/** The documented fields: all that are sent. */
export const ALL_FIELDS: SignedFields = { token: 'all', estimate: 'all' };

/** A signature as sent, with the parts of the request that it may cover. */
export interface SentSignature {
  readonly kind: 'token' | 'estimate';
  readonly partner: PartnerCredentials;
  readonly signature: string;
  readonly pairs: SignaturePairs;
  /** Encoded values of the query of an estimate request. */
  readonly encodedPairs?: Readonly<Record<string, string>>;
  /** Body of a token request, as sent. */
  readonly bodyText?: string | undefined;
  /** Query of an estimate request, as sent. */
  readonly queryText?: string | undefined;
  /** The access token of the same request. */
  readonly token: string | null;
  /** Values of earlier requests. */
  readonly earlier: EarlierValues;
  /** Scheme and host that the request was sent to. */
  readonly origin?: string | undefined;
  /** Signing keys of other partners. */
  readonly keysOfOthers?: readonly string[] | undefined;
  readonly signedFields: SignedFields;
}

/** Values of `_` and nostr in earlier token requests. */
export interface EarlierValues {
  readonly _: readonly unknown[];
  readonly nostr: readonly unknown[];
  /** The pairs of earlier signed requests. */
  readonly pairs?: readonly SignaturePairs[];
}

/** Values that a client may have signed instead of those sent, as far as they are known. */
export type SigningContext = Partial<ReturnType<typeof signingContext>>;

/** Collects what may have been signed instead of `pairs`, from the rest of the request. */
export function signingContext(sent: SentSignature, pairs: SignaturePairs) {
  const { kind, partner, token, earlier } = sent;
  const { id, signingKey } = partner;
  return {
    ...ENDPOINTS[kind],
    bodyText: sent.bodyText,
    queryText: sent.queryText,
    /** Pairs that the query has where signs are taken as they are, with what is not encoded. */
    rawPairs: rawPairs(sent),
    /** Texts with the query, as sent or sorted, that clients rarely sign. */
    queryTexts: queryTexts(sent),
    /** Pairs of earlier requests, whose signatures a client may have kept. */
    earlierPairs: (earlier.pairs ?? []).map((one): Pairs => Object.entries(one)),
    /** Texts that a client may have taken for the signing key, by what they are. */
    otherKeys: {
      ...(id !== '' && { 'partner-id': id }),
      empty: '',
      ...(token !== null && { 'access-token': token }),
    } as Readonly<Record<string, string>>,
    /** Endings of the text that contain the signing key. */
    keyInText: ['&key=', '&signing_key=', '&secret=', '&', ''].map((name) => name + signingKey),
    /** Fields that may have been signed without being sent. */
    extraFields: extraFields(sent),
    /** Values that a field had in earlier requests, or has in another form. */
    otherValues: kind === 'estimate' ? encodedValues(sent, pairs) : otherTokenValues(sent, pairs),
    /** Values too numerous to be combined with another mistake. */
    manyValues: () => manyValues(sent, pairs),
    /** Further fields that may have been signed without being sent, too many for pairs of mistakes. */
    rareFields: rareFields(sent, pairs),
    /** Constants of other interfaces, which clients may sign without sending them. */
    constants: [
      ...CONSTANT_NAMES.flatMap((name) => CONSTANTS.map((value) => [name, value] as const)),
      ...OPTIONAL[kind]
        .filter((name) => !(name in pairs))
        .flatMap((name) => ABSENT.map((word) => [name, word] as const)),
    ],
    /** Texts with the method or the address that clients rarely put before the terms. */
    addresses: addresses(sent),
    /** Texts of the request, besides the signing key, that may be a part of the key. */
    otherTexts: [id, token, ...OTHER_TEXTS.map((name) => pairs[name])].filter(
      (text) => typeof text === 'string' && text !== '',
    ) as string[],
    keysOfOthers: sent.keysOfOthers ?? [],
  };
}

/** Method and path of the two requests (interface.md, "Endpoints"). */
const ENDPOINTS = {
  token: { method: 'POST', path: TOKEN_PATH },
  estimate: { method: 'GET', path: ESTIMATES_PATH },
} as const;

/** Fields whose values clients take for a part of the key. */
const OTHER_TEXTS = ['auth_code', 'refresh_token', 'nostr', '_'];

function manyValues({ earlier }: SentSignature, pairs: SignaturePairs): Record<string, unknown[]> {
  const { _: time, scope, nostr, departure_time: departure } = pairs;
  const others: Readonly<Record<string, readonly unknown[]>> = {
    ...DOCUMENTED_VALUES,
    _: [...otherTimes(time), ...timeNotations(time)],
    scope: [...scopeNotations(scope), ...SCOPES, SCOPES.slice(0, 3).join(' ')],
    nostr: otherNostrs(nostr),
    departure_time: unixNotations(departure),
  };
  return Object.fromEntries(
    Object.entries(pairs).map(([name, value]) => {
      const before = (earlier.pairs ?? []).map((one) => one[name]);
      const all = new Set([...(others[name] ?? []), ...before]);
      return [name, [...all].filter((other) => other !== undefined && other !== value)];
    }),
  );
}

/** Values that a client may have copied from another request. */
const DOCUMENTED_VALUES = {
  grant_type: ['client_credentials', 'refresh_token', 'authorization_code'],
  map_type: ['soso', 'wgs84', 'gcj02', 'bd09', 'baidu', 'amap', 'google'],
  product_type: PRODUCT_TYPES,
  ride_type: RIDE_TYPES,
};

const CONSTANT_NAMES = (
  'sign_type signType sign_method version v ver api_version app_version appVersion format charset ' +
  'input_charset encoding lang language locale platform os channel source type env'
).split(' ');
const CONSTANTS =
  'MD5 md5 1.0 1.0.0 1 2 2.0 v1 json JSON utf-8 UTF-8 utf8 en zh zh_CN zh-CN web app api h5 ios android test'.split(
    ' ',
  );

const ID_NAMES = (
  'partner PARTNER_ID partnerid client clientId appid appId app_key appkey appKey user key_id uid mch_id ' +
  'merchant_id'
).split(' ');
const KEY_NAMES = ['SIGNING_KEY', 'signingKey', 'signKey', 'secret_key', 'secretKey', 'app_secret'];
const TOKEN_NAMES = ['accessToken', 'ACCESS_TOKEN', 'oauth_token', 'bearer', 'Authorization'];

function rareFields(sent: SentSignature, pairs: SignaturePairs): (readonly [string, unknown])[] {
  const { kind, partner, token, earlier } = sent;
  const named = (names: readonly string[], value: unknown) =>
    names.map((name) => [name, value] as const);
  const { method, path } = ENDPOINTS[kind];
  return [
    ...named(ID_NAMES, partner.id),
    ...named(KEY_NAMES, partner.signingKey),
    ...named(['sign', 'signature'], explainSignature(pairs, partner.signingKey).signature),
    ...(token === null ? [] : named(TOKEN_NAMES, token)),
    ...['Bearer', partner.id, `Bearer ${partner.id}`, `Bearer ${partner.id}|`].map(
      (value) => ['Authorization', value] as const,
    ),
    ...named(['method', 'http_method'], method),
    ...named(['path', 'uri', 'url'], path),
    ['Content-Type', kind === 'token' ? 'application/json' : 'application/x-www-form-urlencoded'],
    ...(kind === 'estimate'
      ? ([
          ['_', earlier._.at(-1)],
          ['nostr', earlier.nostr.at(-1)],
        ] as const)
      : []),
  ];
}

function addresses({ kind, origin }: SentSignature): string[] {
  const { method, path } = ENDPOINTS[kind];
  const short = path.replace(/^\/v1/, '');
  const urls = [short, path.slice(1), short.slice(1), path.split('/').at(-1) ?? ''];
  const all = origin === undefined ? urls : [origin + path, origin, ...urls];
  return [
    ...[method, method.toLowerCase()].flatMap((name) => [
      name,
      `${name}&`,
      `${name}\n`,
      `${name}?`,
    ]),
    ...all.flatMap((url) => [url, `${url}?`, `${url}&`, `${method}${url}`, `${method}&${url}&`]),
  ];
}

function queryTexts({ queryText, origin = '' }: SentSignature): string[] {
  if (queryText === undefined) return [];
  const sorted = queryText.split('&').toSorted().join('&');
  const befores = ['?', `${ESTIMATES_PATH}?`, `${origin}${ESTIMATES_PATH}?`];
  const withMethod = ['GET ', 'GET', 'GET&', 'GET\n'].map(
    (method) => `${method}${ESTIMATES_PATH}?`,
  );
  return [
    sorted,
    ...[...befores, ...withMethod].flatMap((before) => [before + queryText, before + sorted]),
  ];
}

/** The pairs that a client may have meant which leaves `+` or `&` in names as they are. */
function rawPairs({ queryText, pairs }: SentSignature): [string, Pairs][] {
  if (queryText === undefined) return [];
  // What is no parameter belongs to the value before it.
  const parts: string[] = [];
  for (const part of queryText.split('&')) {
    const name = percentDecode(part.split('=')[0] ?? '');
    const isOwn = part.includes('=') && ESTIMATE_PARAMETERS.includes(name);
    parts.push(isOwn ? part : `${parts.pop() ?? ''}&${part}`);
  }
  const read = (all: readonly string[], space: string): Pairs =>
    all.map((part) => {
      const [name = '', ...value] = part.replaceAll('+', space).split('=').map(percentDecode);
      return [name, value.join('=')];
    });
  const isWhole = parts.length === Object.keys(pairs).length;
  return [
    ...(queryText.includes('+') ? [['+', read(queryText.split('&'), '+')] as [string, Pairs]] : []),
    ...(isWhole
      ? []
      : ([
          ['&', read(parts, ' ')],
          ['&', read(parts, '+')],
        ] as [string, Pairs][])),
  ];
}

/** Words that clients write for a field that they do not send. */
const ABSENT = ['null', 'undefined', 'None', 'nil', '<nil>', '""', '0'];
const OPTIONAL: Readonly<Record<'token' | 'estimate', readonly string[]>> = {
  token: ['scope', 'refresh_token', 'auth_code'],
  estimate: OPTIONAL_ESTIMATE_PARAMETERS,
};

function extraFields({ kind, partner, token }: SentSignature): Record<string, unknown> {
  const { id, signingKey: key } = partner;
  const ids = { partner_id: id, partnerId: id, client_id: id, app_id: id, id };
  const keys = { key, signing_key: key, sign_key: key, secret: key, client_secret: key };
  const own =
    kind === 'token'
      ? { scope: 'public' }
      : { map_type: 'soso', access_token: token, openid: token, token };
  return Object.fromEntries(
    Object.entries({ ...ids, ...keys, ...own }).filter(([, value]) => value),
  );
}

function encodedValues(
  { encodedPairs }: SentSignature,
  pairs: SignaturePairs,
): Record<string, unknown[]> {
  const { departure_time: departure } = pairs;
  const others = Object.entries(encodedPairs ?? {}).map(([name, value]): [string, unknown[]] => [
    name,
    pairs[name] === value ? [] : [value],
  ]);
  const inMs = typeof departure === 'string' ? [`${departure}000`] : [];
  return Object.fromEntries<unknown[]>([...others, ['departure_time', inMs]]);
}

function otherTokenValues(
  { earlier }: SentSignature,
  { _: time, nostr, scope }: SignaturePairs,
): Record<string, unknown[]> {
  const cases =
    typeof nostr === 'string' ? [nostr.toLowerCase(), nostr.toUpperCase(), nostr.trim()] : [];
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  const spellings = [scopes.toSorted().join(' '), scopes.join(','), scopes, ...scopes];
  return {
    _: [...likelyTimes(time), ...earlier._].filter((value) => value !== time),
    nostr: [...earlier.nostr, ...cases].filter((value) => value !== nostr),
    scope: typeof scope === 'string' ? spellings.filter((value) => value !== scope) : [],
  };
}
