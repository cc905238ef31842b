import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { Observation, SeenToken } from '../../contract/observation.ts';
import { observation } from '../../contract/templates.ts';
import { fieldOf, sameScopes, show } from './answer.ts';

const scopeDefault = observation('token/scope-default', ['platform'], (seen) =>
  each(
    seen.tokens.filter(
      ({ fields }) => !('scope' in fields) && fields['grant_type'] !== 'refresh_token',
    ),
    'scope is "public" where none was asked for',
    ({ answer }) => {
      const scope = fieldOf(answer, 'scope');
      return sameScopes(scope, 'public') ? null : `scope is ${show(scope)}`;
    },
  ),
);

const responseStatus = observation('token/response-status', ['platform'], (seen) =>
  each(seen.tokens, 'status 200', ({ answer }) =>
    answer.status === 200 ? null : `a token came with status ${answer.status}`,
  ),
);

const responseContentType = observation('token/response-content-type', ['platform'], (seen) =>
  each(seen.tokens, 'a body of JSON in UTF-8', ({ answer }) => {
    if (answer.truncated) return null;
    if (answer.body.includes('\uFFFD')) return 'the body is not UTF-8';
    if (answer.json === undefined) return 'the body is not JSON';
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(
      answer.headers['content-type'] ?? '',
    )?.[1];
    if (charset === undefined || /^utf-?8$/i.test(charset)) return null;
    return `the Content-Type names the charset ${charset}`;
  }),
);

const responseField = (
  rule: string,
  field: string,
  expected: string,
  holds: (value: unknown) => boolean,
): Observation =>
  observation(rule, ['platform'], (seen) =>
    each(seen.tokens, `${field} is ${expected}`, ({ answer }) => {
      const value = fieldOf(answer, field);
      return holds(value) ? null : `${field} is ${show(value)}`;
    }),
  );

/** Judges each answer; one that breaks the rule is enough. */
function each(
  tokens: readonly SeenToken[],
  expected: string,
  objectTo: (token: SeenToken) => string | null,
): Judgement {
  for (const token of tokens) {
    const got = objectTo(token);
    if (got !== null)
      return violated(expected, got, token.answer.exchange, [token.answer.exchange]);
  }
  if (tokens.length === 0) return inconclusive('no successful token answer of this kind was seen');
  const exchanges = tokens.slice(0, 3).map(({ answer }) => answer.exchange);
  return pass(`${expected}, in each of ${tokens.length} answers`, exchanges);
}

/** Tokens are shown by their kind alone. */
const tokenField = (rule: string, field: string): Observation =>
  observation(rule, ['platform'], (seen) =>
    each(seen.tokens, `${field} is a non-empty string`, ({ answer }) => {
      const value = fieldOf(answer, field);
      if (typeof value === 'string' && value !== '') return null;
      return `${field} is ${value === undefined ? 'absent' : value === '' ? 'empty' : `a ${typeof value}, no string`}`;
    }),
  );

/** Whether requests of a grant succeed, told apart from a signature that is not accepted at all. */
const grant = (
  rule: string,
  name: string,
  baseRequest: 'platform' | 'refresh' | 'user',
): Observation => ({
  ...observation(rule, [baseRequest], (seen) => {
    const asked = seen.requests.filter(({ fields }) => fields['grant_type'] === name);
    const accepted = asked.find(({ answer }) => answer.outcome === 'accepted');
    if (accepted) return pass(`${name} succeeded`, [accepted.answer.exchange]);
    const refused = asked.find(({ answer }) => answer.outcome === 'refused');
    if (!refused) return noAnswer(name, asked);
    // A refresh_token comes from a success; the other grants may be refused for their signature.
    const others = seen.requests.filter(({ fields }) => fields['grant_type'] !== name);
    const succeeded = others.some(({ answer }) => answer.outcome === 'accepted');
    if (baseRequest !== 'refresh' && others.length > 0 && !succeeded) {
      return inconclusive(
        `${name} was refused, and so was every other well-formed token request: the signature may be what is refused`,
        [refused.answer.exchange],
      );
    }
    return violated(
      `status 200 and a token for ${name}`,
      `${name} was refused with status ${refused.answer.status}, every time`,
      refused.answer.exchange,
      [refused.answer.exchange],
    );
  }),
  overall: true,
});

function noAnswer(name: string, asked: readonly SeenToken[]): Judgement {
  const broken = asked[0];
  return broken
    ? inconclusive(`no answer to ${name}: ${broken.answer.failure}`, [broken.answer.exchange])
    : untestable(`no request with ${name} could be sent`);
}

/** Rules of the area `token` that are judged over what was seen (interface.md, "Token response body"). */
export const tokenObservations: readonly Observation[] = [
  grant('token/grant-client-credentials', 'client_credentials', 'platform'),
  grant('token/grant-refresh-token', 'refresh_token', 'refresh'),
  grant('token/grant-authorization-code', 'authorization_code', 'user'),
  scopeDefault,
  responseStatus,
  responseContentType,
  tokenField('token/response-access-token', 'access_token'),
  tokenField('token/response-refresh-token', 'refresh_token'),
  responseField(
    'token/response-expires',
    'expires_in_second',
    'a positive integer',
    (value) => Number.isInteger(value) && Number(value) > 0,
  ),
  responseField(
    'token/response-token-type',
    'token_type',
    'bearer, or bear',
    (value) => typeof value === 'string' && /^bear(er)?$/i.test(value),
  ),
];
