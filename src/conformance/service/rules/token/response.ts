import { BOM } from '../../../parse-json.ts';
import { inconclusive, type Judgement, pass, unsent, violated } from '../../../verdict.ts';
import type { Check, CheckContext, Finding } from '../../contract/check.ts';
import { accepts, answered, Inconclusive } from '../../contract/judge.ts';
import {
  describeAnswer,
  type EstimateAnswer,
  type Fields,
  show,
  type TokenAnswer,
} from '../../contract/messages.ts';
import {
  judgeEach,
  type Observation,
  observation,
  ofServedPartners,
  type Seen,
  type SeenToken,
} from '../../contract/observation.ts';
import { isRoomy } from '../../contract/target.ts';
import { checkOf, partOf, withParts } from '../../contract/templates.ts';
import { isLimitStatus } from '../../wire/rate-limit.ts';
import { compareRefusals } from '../estimate/compare-refusals.ts';

/** Compares scopes: a list separated by spaces, whose order does not matter. */
export function sameScopes(echoed: unknown, asked: string): boolean {
  if (typeof echoed !== 'string') return false;
  const list = (text: string): string => [...new Set(text.trim().split(/\s+/))].sort().join(' ');
  return list(echoed) === list(asked);
}

/** A field of the answer's body as it came. */
export function fieldOf({ json }: TokenAnswer, field: string): unknown {
  return json !== null && typeof json === 'object' ? (json as Fields)[field] : undefined;
}

const SINGLE = 'public';

/** The scopes that a partner that orders on behalf of users asks for (interface.md, "Scope values"). */
const TRIPLE = 'public rides.read rides.request';

/** Finds a service that loses scopes of a list in another order; the order itself is not judged. */
const REORDERED = 'rides.request public rides.read';

/** The interface leaves open whether a partner is granted these. */
const WIDER = 'public profile';
const ALL = 'public rides.read rides.request profile';
const NARROW = 'rides.read';

/**
 * Of each list that is granted, no scope is lost. The interface leaves open whom a service grants
 * which scope: a refused list is not judged. The single scope is every partner's.
 *
 * Not sent as well-formed requests: a refused scope says nothing of a ban, and a token of some scope
 * is not one for later requests.
 */
const echoOfPlatform = checkOf({
  rule: 'token/scope-echo',
  acceptance: 'read',
  baseRequest: 'platform',
  spends: (facts) =>
    facts.metered ? { platform: 1, refresh: isRoomy(facts) ? 1 : 0 } : { platform: 8 },
  run: (ctx) => {
    const scopes = ctx.facts.metered ? [TRIPLE] : [TRIPLE, REORDERED, WIDER, ALL, NARROW, SINGLE];
    return judgeEcho(ctx, scopes, (scope) => ctx.platform({ scope }), !ctx.facts.metered);
  },
});

/** The same of a user's tokens, and of refreshes that name the scope that the token has. */
const echoOfUser = partOf({
  rule: echoOfPlatform.id,
  name: 'user',
  circumstance: 'an exchange of an auth code',
  run: (ctx) =>
    judgeEcho(ctx, ctx.facts.metered ? [TRIPLE] : [TRIPLE, REORDERED, ALL], async (scope) =>
      ctx.exchange(await ctx.authCode(), { scope }),
    ),
});

const echoOfRefreshes = [false, true].map((isOfUser) =>
  partOf({
    rule: echoOfPlatform.id,
    name: isOfUser ? 'refresh-of-user' : 'refresh',
    circumstance: isOfUser ? "a refresh of a user's token" : 'a refresh',
    run: (ctx) =>
      judgeEcho(ctx, [TRIPLE, WIDER, NARROW], async (scope) => {
        const fields = isOfUser
          ? ctx.exchange(await ctx.authCode(), { scope })
          : ctx.platform({ scope });
        const purpose = `a token of scope "${scope}" to refresh`;
        const { refreshToken } = await ctx.token({ purpose, fields });
        return refreshToken === null ? null : ctx.refresh(refreshToken, { scope });
      }),
  }),
);

/** A metered target refreshes the token that it granted, which costs nothing else. */
export const scopeEcho: Check = withParts(
  echoOfPlatform,
  [echoOfUser, ...echoOfRefreshes],
  [{ ...echoOfUser, spends: () => ({ user: 1, codes: 1, refresh: 1 }) }],
);

/** Body of a request for a token of a scope; null where no token of it can be refreshed. */
type BodyWith = (scope: string) => Fields | null | Promise<Fields | null>;

/** @param isUsed true to send an estimate with each token as well */
async function judgeEcho(
  ctx: CheckContext,
  scopes: readonly string[],
  bodyWith: BodyWith,
  isUsed = false,
): Promise<Finding> {
  const granted: string[] = [];
  const refused: string[] = [];
  const uses = new Map<string, EstimateAnswer['outcome']>();
  for (const scope of scopes) {
    const purpose = `positive: scope "${scope}"`;
    const fields = await bodyWith(scope);
    if (fields === null) {
      refused.push(`"${scope}"`);
      continue;
    }
    const answer = answered(
      await ctx.token({ purpose, expects: 'accepted', fields }),
      `the scope "${scope}"`,
    );
    if (answer.outcome === 'refused') {
      if (scope === SINGLE) return (baseline) => accepts(`the scope "${scope}"`, answer, baseline);
      refused.push(`"${scope}" (${describeAnswer(answer)})`);
      continue;
    }
    const echoed = fieldOf(answer, 'scope');
    if (!sameScopes(echoed, scope)) {
      const got = `scope is ${show(echoed)}`;
      return violated(`scope "${scope}" as requested`, got, answer.exchange);
    }
    const { refreshToken } = answer;
    if (isRoomy(ctx.facts) && refreshToken !== null) {
      const again = await ctx.token({
        purpose: `a refresh that names the scope "${scope}"`,
        fields: ctx.refresh(refreshToken, { scope }),
      });
      // The interface leaves open whether a refresh may name one.
      const echo = fieldOf(again, 'scope');
      if (again.outcome === 'accepted' && !sameScopes(echo, scope)) {
        const got = `scope is ${show(echo)}, of a refresh that names it`;
        return violated(`scope "${scope}" as requested`, got, again.exchange);
      }
    }
    const { accessToken } = answer;
    if (isUsed && scope !== NARROW && accessToken !== null)
      uses.set(scope, (await use(ctx, scope, accessToken)).outcome);
    granted.push(`"${scope}"`);
  }
  const notGranted = refused.length === 0 ? '' : `; not granted: ${refused.join(', ')}`;
  if (!granted.some((scope) => scope.includes(' ')))
    throw new Inconclusive(`no list of several scopes was granted${notGranted}`);
  const unusable = await judgeUse(ctx, uses, bodyWith);
  return (
    unusable ??
    pass(`the scope in the response is the one requested: ${granted.join(', ')}${notGranted}`)
  );
}

/** An estimate with a token that has just been issued. */
const use = (ctx: CheckContext, scope: string, accessToken: string): Promise<EstimateAnswer> =>
  ctx.estimate({
    purpose: `an estimate with a token of scope "${scope}"`,
    query: ctx.query(),
    accessToken,
    as: 'platform',
  });

/** Finds a list of scopes with public whose tokens get no estimate, while those of another one do; null for none. */
async function judgeUse(
  ctx: CheckContext,
  uses: ReadonlyMap<string, EstimateAnswer['outcome']>,
  bodyWith: BodyWith,
): Promise<Judgement | null> {
  const scopeWith = (outcome: EstimateAnswer['outcome']): string =>
    [...uses].find(([, one]) => one === outcome)?.[0] ?? '';
  const [refused, accepted] = [scopeWith('refused'), scopeWith('accepted')];
  if (refused === '' || accepted === '') return null;
  const tokens: string[] = [];
  for (const scope of [refused, accepted]) {
    const purpose = `a new token of scope "${scope}"`;
    const fields = await bodyWith(scope);
    if (fields === null) return null;
    const issued = await ctx.token({ purpose, fields });
    if (issued.accessToken !== null) tokens.push(issued.accessToken);
  }
  const [first, second] = tokens;
  if (first === undefined || second === undefined) return null;
  const { isDistinct, refusal, words } = await compareRefusals(
    ctx.facts,
    () => use(ctx, refused, first),
    () => use(ctx, accepted, second),
    `one with a token of scope "${accepted}"`,
  );
  if (!isDistinct || !refusal) return null;
  return violated(
    `an estimate with a token of scope "${refused}"`,
    `it was refused (${describeAnswer(refusal)}), ${words}`,
    refusal.exchange,
  );
}

/** A rule on each successful answer that was seen, or on those that `where` picks. */
const eachToken = (
  rule: string,
  expected: string,
  objectTo: (token: SeenToken) => string | null,
  where: (token: SeenToken) => boolean = () => true,
): Observation =>
  observation(rule, ['platform'], ({ tokens }) =>
    judgeEach(tokens.filter(where), {
      expected,
      objectTo,
      what: 'answers',
      none: 'no successful token response of this kind was read to its end',
    }),
  );

/** Of an answer that was not read to its end, no field is known. */
const isWhole = ({ answer }: SeenToken): boolean => !answer.truncated;

const scopeDefault = eachToken(
  'token/scope-default',
  'scope is "public" where none was asked for',
  ({ answer }) => {
    const scope = fieldOf(answer, 'scope');
    return sameScopes(scope, 'public') ? null : `scope is ${show(scope)}`;
  },
  (token) =>
    isWhole(token) && !('scope' in token.fields) && token.fields['grant_type'] !== 'refresh_token',
);

const responseStatus = eachToken('token/response-status', 'status 200', ({ answer: { status } }) =>
  status === 200 ? null : `a token came with status ${status}`,
);

const responseContentType = eachToken(
  'token/response-content-type',
  'a body of JSON in UTF-8',
  ({ answer: { truncated, body, json, headers } }) => {
    if (truncated) return null;
    if (body.includes('\uFFFD')) return 'the body is not UTF-8';
    if (json === undefined) return 'the body is not JSON';
    if (body.startsWith(BOM)) return 'a byte order mark stands before the JSON';
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1];
    if (charset === undefined || /^utf-?8$/i.test(charset)) return null;
    return `the Content-Type names the charset ${charset}`;
  },
);

const responseField = (
  rule: string,
  field: string,
  expected: string,
  holds: (value: unknown) => boolean,
): Observation =>
  eachToken(
    rule,
    `${field} is ${expected}`,
    ({ answer }) => {
      const value = fieldOf(answer, field);
      return holds(value) ? null : `${field} is ${show(value)}`;
    },
    isWhole,
  );

/** Tokens are secrets: of a wrong one only its type is shown. */
const tokenField = (rule: string, field: string): Observation =>
  eachToken(
    rule,
    `${field} is a non-empty string`,
    ({ answer }) => {
      const value = fieldOf(answer, field);
      if (typeof value === 'string') return value === '' ? `${field} is empty` : null;
      return `${field} is ${value === undefined ? 'absent' : `a ${typeof value}, no string`}`;
    },
    isWhole,
  );

/**
 * Judges if requests of a grant succeed, apart from a signature that is not accepted at all. The grants
 * that need no token show each other: refused alone, either may be refused for the signing key.
 */
const grant = (
  rule: string,
  name: string,
  baseRequest: 'platform' | 'refresh' | 'user',
): Observation => ({
  rule,
  from: baseRequest === 'refresh' ? ['refresh'] : ['platform', 'user'],
  acceptance: 'demanded',
  overall: true,
  judge: (seen) => {
    const { requests } = seen;
    const asked = requests.filter(({ fields }) => fields['grant_type'] === name);
    const accepted = asked.find(({ answer }) => answer.outcome === 'accepted');
    if (accepted) {
      const refusedKind = baseRequest === 'refresh' ? refusedRefreshes(seen) : null;
      return refusedKind ?? pass(`${name} succeeded`, [accepted.answer.exchange]);
    }
    const [anyRefused, ...moreRefused] = asked.filter(({ answer }) => answer.outcome === 'refused');
    if (!anyRefused) return notAnswered(name, asked);
    const refusals = ofServedPartners([anyRefused, ...moreRefused], seen);
    const [refused] = refusals;
    if (!refused) {
      return inconclusive(
        `${name} was refused only as ${anyRefused.partnerId}, which the target accepts nothing of: its signing key in the profile may be wrong, or the partner banned`,
        [anyRefused.answer.exchange],
      );
    }
    const { exchange, status } = refused.answer;
    // A refresh_token comes from a success; the other grants may be refused for their signature.
    const others = requests.filter(({ fields }) => fields['grant_type'] !== name);
    const succeeded = others.some(({ answer }) => answer.outcome === 'accepted');
    if (baseRequest !== 'refresh' && others.length > 0 && !succeeded) {
      return inconclusive(
        `${name} was refused, and so was every other well-formed token request: the signature may be what is refused`,
        [exchange],
      );
    }
    // Within an allowance only a fault refuses them: what refuses some of them has a cause that passes.
    const alike = others.find(
      ({ firstOfFresh, fields, answer }) =>
        (firstOfFresh || (seen.facts.metered && isOfPlatform(fields))) &&
        answer.outcome === 'refused' &&
        answer.status === status,
    );
    if (alike) {
      return inconclusive(
        `${name} was refused with status ${status}, and so were other token requests within the allowance: the target may limit its rate`,
        [exchange, alike.answer.exchange],
      );
    }
    if (seen.facts.metered && !refusals.some(({ isRested }) => isRested)) {
      return inconclusive(
        `${name} was refused with status ${status}, but only among others: the target may limit its rate`,
        [exchange],
      );
    }
    // A partner that was refused something else as well may have a wrong key.
    const isAskedOnly = ({ partnerId }: SeenToken): boolean =>
      requests.every((one) => one.partnerId !== partnerId || one.fields['grant_type'] === name);
    const shown = [anyRefused, ...moreRefused].filter(
      (one) => refusals.includes(one) || isAskedOnly(one),
    );
    if (seen.facts.metered && shown.length < 2) {
      return inconclusive(
        `${name} was refused with status ${status}, once: that may be by chance, or what was sent no longer valid; another partner in the profile would tell`,
        [exchange],
      );
    }
    const got = `${name} was refused with status ${status}, every time`;
    return violated(`status 200 and a token for ${name}`, got, exchange, [exchange]);
  },
});

/** The interface leaves open whom a target grants which other scope. */
const isOfPlatform = ({ grant_type, scope = 'public' }: Fields): boolean =>
  grant_type === 'client_credentials' && scope === 'public';

/** Refreshes of a kind that show together that it is refused. */
const FEWEST_REFUSED = 3;

/**
 * A kind of refreshes that is refused every time, where others are accepted; null if there is none. Only
 * where requests are free: with few of them, a refusal may have another cause.
 */
function refusedRefreshes({ requests, tokens, facts }: Seen): Judgement | null {
  if (facts.metered) return null;
  const grants = new Map(
    tokens.map(({ answer, fields }) => [answer.refreshToken, fields['grant_type']]),
  );
  const kinds = {
    authorization_code: "a user's token",
    refresh_token: 'a refreshed token',
  } as const;
  for (const [from, what] of Object.entries(kinds)) {
    const asked = requests.filter(
      ({ answer, fields }) =>
        answer.outcome !== 'broken' &&
        fields['grant_type'] === 'refresh_token' &&
        grants.get(fields['refresh_token'] as string) === from,
    );
    const refused = asked.filter(
      ({ answer: { outcome, status } }) => outcome === 'refused' && !isLimitStatus(status),
    );
    const [first] = refused;
    if (!first || refused.length < FEWEST_REFUSED || refused.length < asked.length) continue;
    const got = `a refresh of ${what} was refused with status ${first.answer.status}, every time`;
    const exchanges = refused.map(({ answer }) => answer.exchange).slice(0, 3);
    return violated(
      'status 200 and a token for refresh_token',
      got,
      first.answer.exchange,
      exchanges,
    );
  }
  return null;
}

function notAnswered(name: string, [broken]: readonly SeenToken[]): Judgement {
  if (!broken) return unsent(`no request with ${name} could be sent`);
  const { failure, exchange } = broken.answer;
  return inconclusive(`no response to ${name}: ${failure}`, [exchange]);
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
