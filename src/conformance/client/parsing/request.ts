import type { ParsedTokenBody, RequestKind } from '../../../documents/parsed-request.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { CapturedRequest } from '../traffic/captured.ts';
import { type AuthorizationParts, parseAuthorization } from './authorization.ts';
import { parseBody } from './body.ts';
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
