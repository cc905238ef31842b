import type { Diagnosis } from '../../documents/conformance.ts';
import type { Exchange, RuleResult } from '../../documents/sealed.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../interface/limits.ts';
import {
  plainOnTls,
  type RefusalCause,
  type RefusingAnswer,
  redirected,
  remedyOfRefusal,
  skewed,
} from '../../interface/refusal-cause.ts';
import { skewOf } from './contract/messages.ts';
import type { Facts } from './contract/target.ts';

/** Characters of an answer's body in a diagnosis. */
const BODY_LIMIT = 300;

type SignedFields = Facts['tokenFields'];

type Answered = Exchange & { readonly response: NonNullable<Exchange['response']> };

/** Partners that a diagnosis names. */
const NAMED_PARTNERS = 5;

/** A cause, its remedy, and the answer that shows it. */
type Cause = Pick<Diagnosis, 'finding' | 'remedy'> & { readonly shownBy: Answered };

/**
 * Finds the one cause for which a target accepted no well-formed token request of a partner; null if
 * there is none. It explains verdicts and changes none.
 *
 * @param baseUrl address of the target that the exchanges were with
 * @param usedUp exchanges whose refusal may be due to spending of earlier runs
 * @param signed fields of a token request that the profile signs
 */
export function diagnose(
  exchanges: readonly Exchange[],
  baseUrl: string,
  usedUp: readonly string[] = [],
  signed: SignedFields = 'all',
): Diagnosis | null {
  const own = answeredOf(exchanges, baseUrl);
  const tokens = wellFormedTokens(own, baseUrl);
  const refused = tokens.filter((one) => !hasToken(one));
  const [first] = refused;
  const isWhole = first !== undefined && refused.length === tokens.length;
  const expected = expectedTokens(own, baseUrl);
  const unsigned = unsignedIn(expected, signed);
  const cause = isWhole
    ? (shownIn(redirected(answerOf(first), baseUrl) ?? plainOnTls(answerOf(first)), first) ??
      skewedIn(own) ??
      foreign(own, first, baseUrl) ??
      notSigned(expected, unsigned) ??
      refusedPartners(tokens, baseUrl, usedUp))
    : (notSigned(expected, unsigned) ??
      refusedPartners(tokens.filter(isOfRefusedPartner(tokens)), baseUrl, usedUp));
  if (!cause) return null;
  const { shownBy, ...words } = cause;
  const remedy = `${words.remedy} Fix this first: other verdicts of this run may follow from it.`;
  return { ...words, remedy, isWhole, exchange: shownBy.id };
}

/**
 * Partners that the target accepted no well-formed token request of, though it accepted another's. Probes
 * of gaps count too, which are sent after the rules are judged.
 */
export function unservedPartners(
  exchanges: readonly Exchange[],
  baseUrl: string,
): ReadonlySet<string> {
  const tokens = wellFormedTokens(answeredOf(exchanges, baseUrl), baseUrl);
  const served = new Set(tokens.filter(hasToken).map(({ partnerId }) => partnerId));
  const asking = served.size === 0 ? [] : tokens.flatMap(({ partnerId }) => partnerId ?? []);
  return new Set(asking.filter((partnerId) => !served.has(partnerId)));
}

/**
 * Fields of token requests that the profile does not sign, and with which the target accepted no well-formed
 * request: it may sign them.
 */
export function unsignedFields(
  exchanges: readonly Exchange[],
  baseUrl: string,
  signed: SignedFields,
): ReadonlySet<string> {
  return unsignedIn(expectedTokens(answeredOf(exchanges, baseUrl), baseUrl), signed);
}

function unsignedIn(tokens: readonly Answered[], signed: SignedFields): ReadonlySet<string> {
  if (signed === 'all') return new Set();
  const fields = (some: readonly Answered[]): string[] => some.flatMap(fieldsOf);
  const accepted = new Set([...signed, ...fields(tokens.filter(hasToken))]);
  return new Set(fields(tokens.filter(isRefused)).filter((name) => !accepted.has(name)));
}

const answeredOf = (exchanges: readonly Exchange[], baseUrl: string): Answered[] =>
  exchanges.filter(({ request }) => request.url.startsWith(baseUrl)).filter(isAnswered);

/** Those around checks, which a conforming target accepts. */
const wellFormedTokens = (own: readonly Answered[], baseUrl: string): Answered[] =>
  own.filter(
    ({ part, request }) => part?.step !== undefined && pathOf(request.url, baseUrl) === TOKEN_PATH,
  );

/** Those, and the requests of checks that a conforming target accepts. */
const expectedTokens = (own: readonly Answered[], baseUrl: string): Answered[] =>
  own.filter(
    ({ part, expects, request }) =>
      (part?.step !== undefined || expects === 'accepted') &&
      pathOf(request.url, baseUrl) === TOKEN_PATH,
  );

/** Reason of rules that no well-formed request could show. */
const FOLLOWS = 'no well-formed token request was accepted';

/** Facts by which a diagnosis explains the outcome of a rule. */
interface ExplainedBy {
  /** True where no request could be sent. */
  readonly isUnsent?: boolean | undefined;
  /** The exchange that shows a violation. */
  readonly shown?: Exchange | undefined;
  /** True if the partners are those of the profile. */
  readonly isOfProfile: boolean;
  /** Partners that no token was issued to, see {@link unservedPartners}. */
  readonly unserved: ReadonlySet<string>;
  /** See {@link unsignedFields}. */
  readonly unsigned: ReadonlySet<string>;
}

/**
 * The outcome of a rule, with the diagnosis as its reason if it follows from that. So does a refusal of
 * a token request where the partners are those of the profile: their signing keys may be wrong there.
 */
export function explained<R extends Pick<RuleResult, 'verdict' | 'reason'>>(
  outcome: R,
  diagnosis: Diagnosis | null | undefined,
  { isUnsent = false, shown, isOfProfile, unserved, unsigned }: ExplainedBy,
): R {
  const { verdict } = outcome;
  const isBroken = verdict === 'fail' || verdict === 'warn';
  const isRefusal = shown?.request.url.endsWith(TOKEN_PATH) && shown.response?.status !== 200;
  const follows =
    verdict === 'inconclusive' ||
    (verdict === 'untestable' && isUnsent) ||
    (isBroken && isOfProfile && isRefusal);
  const partner = isBroken && isOfProfile && isRefusal ? (shown?.partnerId ?? '') : '';
  const isUnserved = unserved.has(partner);
  const unsignedField =
    isBroken && shown && isRefusal && fieldsOf(shown).find((name) => unsigned.has(name));
  if (!isUnserved && !unsignedField && (!diagnosis?.isWhole || !follows)) return outcome;
  const nothing = {
    expected: undefined,
    shownBy: undefined,
    curl: undefined,
    remedy: undefined,
  };
  return {
    ...outcome,
    ...nothing,
    verdict: isBroken ? 'inconclusive' : verdict,
    reason: unsignedField
      ? `the target refuses token requests with ${unsignedField}, which the profile does not sign: its signature.tokenFields may be too short`
      : isUnserved
        ? `the target accepted no token request of ${partner}: its signing key in the profile may be wrong, or it is banned`
        : FOLLOWS,
  };
}

function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.response !== null;
}

function pathOf(url: string, baseUrl: string): string {
  return url.slice(baseUrl.length).split('?')[0] ?? '';
}

/** The answer of an exchange, for the causes that one shows by itself. */
const answerOf = ({ at, targetAt, response, durationMs }: Answered): RefusingAnswer => ({
  ...response,
  // A clock that a control API moves is no mistake.
  skewMs: targetAt === undefined ? skewOf(response.headers, Date.parse(at) + durationMs) : 0,
});

/** A cause with the answer that shows it. */
function shownIn(cause: RefusalCause | null, shownBy: Answered): Cause | null {
  if (!cause) return null;
  const { finding, remedy } = cause;
  return { finding: `${finding} Its response: ${answerWords(shownBy)}.`, remedy, shownBy };
}

/** The first of the exchanges that shows clocks which are too far apart. */
function skewedIn(exchanges: readonly Answered[]): Cause | null {
  const shownBy = exchanges.find((one) => skewed(answerOf(one)) !== null);
  return shownBy ? shownIn(skewed(answerOf(shownBy)), shownBy) : null;
}

/** Neither endpoint gave a JSON body to anything that was sent. */
function foreign(exchanges: readonly Answered[], first: Answered, baseUrl: string): Cause | null {
  const isMissing = [404, 405, 501].includes(first.response.status);
  if (exchanges.some(({ response }) => isJson(response.body)) && !isMissing) return null;
  const hasEstimates = exchanges.some(
    ({ request, response }) =>
      pathOf(request.url, baseUrl) === ESTIMATES_PATH &&
      response.status === 200 &&
      isJson(response.body),
  );
  if (hasEstimates) return null;
  return {
    finding: `Nothing at ${baseUrl}${TOKEN_PATH} answers like the token endpoint. Its response: ${answerWords(first)}.`,
    remedy: 'Correct baseUrl: is it another service, or is a path prefix missing?',
    shownBy: first,
  };
}

/** The target may sign fields that the profile leaves out. */
function notSigned(tokens: readonly Answered[], unsigned: ReadonlySet<string>): Cause | null {
  const shownBy = tokens.find((one) => fieldsOf(one).some((name) => unsigned.has(name)));
  if (!shownBy) return null;
  const names = [...unsigned].join(', ');
  return {
    finding: `The target refuses every well-formed token request with ${names}, which signature.tokenFields of the profile leaves out. Its response: ${answerWords(shownBy)}.`,
    remedy:
      'If the service signs every field, remove signature.tokenFields from the profile; else add those that it signs. Check partner id and signingKey as well.',
    shownBy,
  };
}

/** Every one of these requests was refused. */
function refusedPartners(
  tokens: readonly Answered[],
  baseUrl: string,
  usedUp: readonly string[],
): Cause | null {
  const [shownBy] = tokens;
  if (!shownBy || !tokens.every(isRefused)) return null;
  const partners = [...new Set(tokens.flatMap(({ partnerId }) => partnerId ?? []))];
  const named = partners.slice(0, NAMED_PARTNERS).join(', ');
  return {
    finding: `The target refuses every well-formed token request of ${named}. Its response: ${answerWords(shownBy)}.`,
    remedy: remedyOfRefusal(answerOf(shownBy), baseUrl, {
      mayBeUsedUp: tokens.some(({ id }) => usedUp.includes(id)),
      isFresh: tokens.every(({ targetAt }) => targetAt !== undefined),
    }),
    shownBy,
  };
}

/**
 * Matches the requests of partners that no token was issued to, although they asked for platform
 * tokens, and others got some: a target that refuses a grant to all has broken a rule.
 */
function isOfRefusedPartner(tokens: readonly Answered[]): (one: Answered) => boolean {
  const platform = tokens.filter(({ request: { body } }) => grantIn(body) === 'client_credentials');
  if (platform.every(isRefused)) return () => false;
  const served = new Set(tokens.filter(hasToken).map(({ partnerId }) => partnerId));
  const asking = new Set(platform.map(({ partnerId }) => partnerId));
  return ({ partnerId, targetAt }) =>
    targetAt === undefined && asking.has(partnerId) && !served.has(partnerId);
}

/** Names of the fields of a JSON body. */
function fieldsOf({ request: { body } }: Pick<Exchange, 'request'>): string[] {
  const json = jsonOf(body ?? '');
  return typeof json === 'object' && json !== null ? Object.keys(json) : [];
}

function grantIn(body: string | null): unknown {
  const json = jsonOf(body ?? '');
  return typeof json === 'object' && json !== null && 'grant_type' in json ? json.grant_type : null;
}

const isRefused = ({ response }: Answered): boolean => response.status !== 200;

function hasToken({ response: { body } }: Answered): boolean {
  const json = jsonOf(body);
  return typeof json === 'object' && json !== null && 'access_token' in json;
}

const isJson = (body: string): boolean => typeof jsonOf(body) === 'object';

/** The value of a JSON text; undefined for anything else. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function answerWords({ response: { status, headers, body } }: Answered): string {
  const text = body.length > BODY_LIMIT ? `${body.slice(0, BODY_LIMIT)}…` : body;
  const type = headers['content-type'];
  const kind = type === undefined ? '' : ` (${type})`;
  return `status ${status}${kind}, ${text === '' ? 'without a body' : text.replaceAll(/\s+/g, ' ')}`;
}
