import { TextDecoder } from 'node:util';
import type {
  ParsedAuthorization,
  ParsedTokenBody,
  RequestKind,
} from '../../../documents/parsed-request.ts';
import {
  ESTIMATES_PATH,
  REQUIRED_ESTIMATE_PARAMETERS,
  TOKEN_PATH,
} from '../../../interface/limits.ts';
import { parseReceivedJson } from '../../parse-json.ts';
import type { CapturedRequest } from '../traffic/captured.ts';
import { parseQuery, type QueryParts } from './query.ts';

/** The parts of a request; not redacted. */
export interface RequestParts {
  readonly kind: RequestKind;
  /** Without the query. */
  readonly path: string;
  readonly authorization: AuthorizationParts;
  readonly body: ParsedTokenBody;
  /** Of an estimate request whose parameters are in a form body: those. */
  readonly query: QueryParts;
}

/** Parses a request, valid or not. */
export function parseRequest(request: CapturedRequest): RequestParts {
  const { target, headers, body } = request;
  const [path = '', ...queries] = originForm(target).split('?');
  const query = queries.join('?');
  const parsedBody = parseBody(body);
  const isAside = isOutsideInterface(request, path, query);
  const kind = isAside ? 'probe' : kindOf(path, query, parsedBody.fields);
  const hasFormQuery = query === '' && kind === 'estimate' && parsedBody.body === 'form';
  const inBody = REQUIRED_ESTIMATE_PARAMETERS.some((name) => name in parsedBody.fields);
  const fault = request.isIncomplete ? 'a body that is shorter than announced' : null;
  return {
    kind,
    path,
    authorization: parseAuthorization(headers['authorization'], kind),
    body: fault === null ? parsedBody : { ...parsedBody, body: 'other', fault },
    query: {
      ...parseQuery(hasFormQuery ? Buffer.from(body).toString('latin1') : query),
      ...(inBody && { inBody }),
    },
  };
}

/** The path and query of a target, which may be in absolute form (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`;
}

/**
 * True for a request that asks nothing of the service, such as a look at its health, a browser's
 * preflight or its request for an icon.
 */
function isOutsideInterface(
  { method, headers, body }: CapturedRequest,
  path: string,
  query: string,
): boolean {
  if (/^(GET|HEAD)$/.test(method) && /^\/(healthz|openapi\.json)$/.test(path)) return true;
  if (headers['authorization'] !== undefined || body.length > 0) return false;
  if (method === 'OPTIONS') return true;
  if (query !== '') return false;
  // Below /v1/ a client may look for something of the service.
  const isElsewhere = !path.startsWith('/v1/') && kindOf(path, query, {}) === 'other';
  return method === 'HEAD' || (method === 'GET' && isElsewhere);
}

/** By the path in any version; if the path is none of ours, by the content. */
function kindOf(path: string, query: string, fields: ParsedTokenBody['fields']): RequestKind {
  const endsWith = (documented: string): boolean =>
    path.replace(/(?<!\/)\/+$/, '').endsWith(documented.replace('/v1', ''));
  if (endsWith(TOKEN_PATH)) return 'token';
  if (endsWith(ESTIMATES_PATH)) return 'estimate';
  if ('grant_type' in fields || /(^|&)grant_type=/.test(query)) return 'token';
  if (/start_l(at|ng)=/.test(query) || 'start_lat' in fields) return 'estimate';
  return 'other';
}

/** A header, and the text in it that may be a signature, at any place. */
export interface AuthorizationParts extends ParsedAuthorization {
  readonly salvagedSignature: string | null;
}

/** The scheme in any case, and one or more spaces (RFC 9110, section 11.4). */
const SCHEME = /^bearer +/i;
const PAIR = /^([^|\s]+)\|([^|\s]+)$/;
const USER = /^([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/;
/** Characters of a digest in any notation. */
const DIGEST = /^[\w+/=-]+$/;
const HEX_DIGEST = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i;

const EMPTY = { partnerId: null, second: null, userToken: null, salvagedSignature: null };

/**
 * Parses an `Authorization` header, valid or not.
 *
 * @see interface.md, "Authentication"
 */
export function parseAuthorization(
  header: string | undefined,
  kind: RequestKind,
): AuthorizationParts {
  if (header === undefined || header === '') {
    return { ...EMPTY, form: 'missing', shape: 'no Authorization' };
  }
  const credentials = SCHEME.test(header) ? header.replace(SCHEME, '') : '';
  const [, partnerId = '', second = '', userToken = null] =
    USER.exec(credentials) ?? PAIR.exec(credentials) ?? [];
  const isSigned = userToken !== null || kind === 'token';
  if (second === '' || (isSigned && !DIGEST.test(second))) {
    const salvagedSignature = HEX_DIGEST.exec(header)?.[0] ?? null;
    return { ...EMPTY, form: 'other', shape: shapeOf(header), salvagedSignature };
  }
  const parts = { partnerId, second, userToken, salvagedSignature: second };
  return userToken === null
    ? { ...parts, form: 'pair', shape: 'Bearer ID|X' }
    : { ...parts, form: 'user', shape: 'Bearer ID|SIGN openid|TOKEN' };
}

function shapeOf(header: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) /.exec(header)?.[1] ?? null;
  const bars = header.split('|').length - 1;
  if (/^bearer openid\|\S+ \S+\|\S+$/i.test(header)) {
    return 'the two parts exchanged: openid|TOKEN before ID|SIGN';
  }
  const words = [
    scheme === null ? 'no scheme' : `the scheme ${scheme}`,
    bars === 0 ? 'no |' : `${bars} |`,
    ...(/\s\||\|\s/.test(header) ? ['a space next to |'] : []),
    ...(/ {2,}openid\|/i.test(header) ? ['more than one space before openid'] : []),
    ...(/ openid\|/i.test(header) && !header.includes(' openid|') ? ['openid in capitals'] : []),
    ...(/[^\w+/=| -](?: *openid\||$)/i.test(header) ? ['another character after SIGN'] : []),
  ];
  return words.join(', ');
}

/**
 * Parses the body of a token request, valid or not: a form is parsed too, so that its fields can be
 * judged.
 *
 * @see interface.md, "1. Request, refresh or exchange a token"
 */
export function parseBody(bytes: Uint8Array): ParsedTokenBody {
  const utf8 = decodeUtf8(bytes);
  const text = (utf8 ?? Buffer.from(bytes).toString('latin1')).replace(BOM, '');
  const json = parseJsonObject(text);
  if (json !== null) {
    const fault =
      utf8 === null ? 'JSON that is not UTF-8' : BOM.test(utf8) ? 'a BOM before JSON' : null;
    return fault === null ? { body: 'json', fields: json } : { body: 'other', fields: json, fault };
  }
  if (/^[^\s{}=&]+=[^=\s]*(&[^\s=&]+=[^=\s]*)*$/.test(text)) {
    return { body: 'form', fields: Object.fromEntries(new URLSearchParams(text)) };
  }
  return { body: 'other', fields: {} };
}

/** Parses JSON; null for anything that is not an object. */
function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseReceivedJson(text);
    if (typeof value !== 'object' || Array.isArray(value)) return null;
    return value as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

const BOM = /^\ufeff/;

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
