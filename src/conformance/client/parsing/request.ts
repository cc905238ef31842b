import { TextDecoder } from 'node:util';
import type {
  ParsedAuthorization,
  ParsedTokenBody,
  RequestKind,
} from '../../../documents/parsed-request.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
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
export function parseRequest({ method, target, headers, body }: CapturedRequest): RequestParts {
  const [path = '', ...queries] = originForm(target).split('?');
  const query = queries.join('?');
  const parsedBody = parseBody(body);
  const kind = kindOf(method, path, query, parsedBody.fields);
  const hasFormQuery = query === '' && kind === 'estimate' && parsedBody.body === 'form';
  return {
    kind,
    path,
    authorization: parseAuthorization(headers['authorization']),
    body: parsedBody,
    query: parseQuery(hasFormQuery ? Buffer.from(body).toString('latin1') : query),
  };
}

/** The path and query of a target, which may be in absolute form (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`;
}

/** By the path in any version; if the path is none of ours, by the content. */
function kindOf(
  method: string,
  path: string,
  query: string,
  fields: ParsedTokenBody['fields'],
): RequestKind {
  if (/^(GET|HEAD)$/.test(method) && /^\/(healthz|openapi\.json)$/.test(path)) return 'probe';
  const endsWith = (documented: string): boolean =>
    path.replace(/\/+$/, '').endsWith(documented.replace('/v1', ''));
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

const PAIR = /^bearer ([^|\s]+)\|([^|\s]+)$/i;
const USER = /^bearer ([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/i;
const HEX_DIGEST = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i;

const EMPTY = { partnerId: null, second: null, userToken: null, salvagedSignature: null };

/**
 * Parses an `Authorization` header, valid or not.
 *
 * @see interface.md, "Authentication"
 */
export function parseAuthorization(header: string | undefined): AuthorizationParts {
  if (header === undefined || header === '') {
    return { ...EMPTY, form: 'missing', shape: 'no Authorization' };
  }
  const [, partnerId = '', second = '', userToken = null] =
    USER.exec(header) ?? PAIR.exec(header) ?? [];
  if (second === '') {
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
  const words = [
    scheme === null ? 'no scheme' : `the scheme ${scheme}`,
    bars === 0 ? 'no |' : `${bars} |`,
    ...(/\s\||\|\s/.test(header) ? ['a space next to |'] : []),
    ...(/^bearer {2,}/i.test(header) ? ['more than one space after Bearer'] : []),
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
  const text = decode(bytes);
  const json = parseJsonObject(text);
  if (json !== null) return { body: 'json', fields: json };
  if (/^[^\s{}=&]+=[^=\s]*(&[^\s=&]+=[^=\s]*)*$/.test(text)) {
    return { body: 'form', fields: Object.fromEntries(new URLSearchParams(text)) };
  }
  return { body: 'other', fields: {} };
}

/** Parses JSON; null for anything that is not an object. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    return value as Record<string, unknown>;
  } catch {
    return null;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}
