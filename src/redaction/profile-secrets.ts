import type { Secret } from './secret.ts';

interface PartnerWithSecrets {
  readonly id: string;
  readonly signingKey: string;
  readonly authCodes?: readonly string[] | undefined;
  readonly accessToken?: string | undefined;
}

/** The fields of a target profile that may hold a secret, and those that are public. */
export interface ProfileWithSecrets {
  readonly name?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly partners?: readonly PartnerWithSecrets[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly control?: { readonly url: string; readonly token?: string | undefined } | undefined;
  readonly estimates?: object | undefined;
  /** PEM texts. */
  readonly tls?: { readonly key?: string | undefined } | undefined;
}

/** The secrets of a target profile: the one list, for every command. */
export function secretsOf({
  baseUrl = '',
  partners = [],
  headers = {},
  control,
  tls,
}: ProfileWithSecrets): Secret[] {
  const header = (text: string): Secret => ({ kind: 'header', text });
  return [
    ...secretsInHeaders(headers).map(header),
    ...[baseUrl, control?.url ?? ''].flatMap(credentialsIn).map(header),
    ...(control?.token === undefined
      ? []
      : [{ kind: 'control_token', text: control.token } as const]),
    ...secretLinesOf(tls?.key ?? '').map(
      (text) => ({ kind: 'signing_key', text, label: 'tls' }) as const,
    ),
    ...partners.flatMap(({ id, signingKey, authCodes = [], accessToken }): Secret[] => [
      { kind: 'signing_key', text: signingKey, label: id },
      ...authCodes.map((text): Secret => ({ kind: 'auth_code', text })),
      ...(accessToken === undefined ? [] : [{ kind: 'access_token', text: accessToken } as const]),
    ]),
  ];
}

/** Texts of a target profile that documents show anyway. */
export function publicTextsOf({
  name = '',
  baseUrl = '',
  partners = [],
  headers = {},
  control,
  estimates = {},
}: ProfileWithSecrets): string[] {
  return [
    name,
    ...[baseUrl, control?.url ?? ''].map((url) => url.replace(CREDENTIALS, '')),
    ...partners.map(({ id }) => id),
    ...Object.keys(headers),
    JSON.stringify(estimates),
  ];
}

/** User and password of an address. */
const CREDENTIALS = /(?<=^\w+:\/\/)([^/?#]*)@/;

/** User and password of an address, together and each, as they are and as the address writes them. */
function credentialsIn(url: string): string[] {
  const [, written = ''] = CREDENTIALS.exec(url) ?? [];
  const colon = written.indexOf(':');
  const parts = colon < 0 ? [] : [written.slice(0, colon), written.slice(colon + 1)];
  const texts = [written, ...parts].flatMap((text) => [text, decoded(text)]);
  return [...new Set(texts)].filter((text) => text !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text itself, or of one of several lines, such as a PEM text, those that are no marker and no comment. */
export function secretLinesOf(text: string): string[] {
  const lines = text.trim().split(/\r?\n/);
  return lines.length === 1 ? lines : lines.filter((line) => /^(?!-----)\S+$/.test(line));
}

/** Headers of a profile that hold no secret. */
const PLAIN_HEADER =
  /^(accept(-.*)?|cache-control|connection|content-type|host|origin|referer|user-agent|via)$/i;

/** Shorter words of a header are words and numbers, unless they are credentials or values of cookies. */
const SHORTEST_WORD = 8;
const SHORTEST_VALUE = 4;

/**
 * Secrets in the headers that a profile adds to each request: the values, and the parts that a target
 * may echo by themselves, as are credentials without their scheme, values of cookies, and what Basic
 * credentials encode.
 */
function secretsInHeaders(headers: Readonly<Record<string, string>>): string[] {
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    PLAIN_HEADER.test(name) ? [] : [value, ...partsOf(value)],
  );
  return [...new Set(secrets)];
}

function partsOf(value: string): string[] {
  const basic = /^basic +([\w+/=-]+)$/i.exec(value)?.[1];
  const pair = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8');
  const password = pair.slice(pair.indexOf(':') + 1);
  const credentials = /^[A-Za-z][\w-]* +(\S+)$/.exec(value)?.[1] ?? '';
  const words = value.split(/[\s,;]+/);
  const values = words.flatMap((word) =>
    word.includes('=') ? word.slice(word.indexOf('=') + 1) : [],
  );
  return [
    ...words.filter(({ length }) => length >= SHORTEST_WORD),
    ...[pair, password, credentials, ...values.map(unquoted)].filter(
      ({ length }) => length >= SHORTEST_VALUE,
    ),
  ];
}

function unquoted(text: string): string {
  return /^"(.*)"$/s.exec(text)?.[1] ?? text;
}
