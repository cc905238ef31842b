import { z } from 'zod';
import { ERROR_CONDITIONS, type ErrorCondition } from './error-conditions.ts';
import { DURATION_WORDS } from './limits.ts';

/** Question that the interface leaves open ("not shown"); observed and reported, never judged. */
export interface Gap {
  /** Permanent id; also the key of its setting in a behaviour file. */
  readonly id: string;
  readonly question: string;
  /** Heading of interface.md that leaves it open. */
  readonly section: string;
  /** Meaning of each setting. */
  readonly settings: string;
}

const errorStatus = z.int().min(300).max(599).optional();

const errorStatuses = z.strictObject(
  Object.fromEntries(ERROR_CONDITIONS.map((name) => [name, errorStatus])) as Record<
    ErrorCondition,
    typeof errorStatus
  >,
);

const signedFields = z.union([z.literal('all'), z.array(z.string().min(1)).readonly()]);

/** Fields that enter a signature: all of them, or those named. */
export type SignedFields = z.infer<typeof signedFields>;

const noOrYes = z.enum(['no', 'yes']);

/** A limit of requests for each partner. */
const rateLimit = z.union([
  z.literal('none'),
  z.strictObject({ perSecond: z.int().min(1) }).readonly(),
]);

/** A gap that no request shows, so that no setting answers it. */
const notShown = z.literal('not-shown');
const NOT_SHOWN = '`not-shown`: no request shows it, and the reference server has nothing there.';

/** The register of gaps by id, in the order of a report; `answer` parses the setting. */
const REGISTER = {
  'signed-fields-token': {
    question: 'Which fields of a token request enter the signature?',
    section: 'Signature algorithm',
    settings: '`all` fields of the body, or a list of field names.',
    answer: signedFields,
  },
  'signed-booleans-and-objects': {
    question: 'How do booleans enter the signature, and do objects enter as JSON, like lists?',
    section: 'Signature algorithm',
    settings:
      '`numeric`: true enters as `1`, false counts as empty; `literal`: `true` and `false`. Objects enter as JSON.',
    answer: z.enum(['numeric', 'literal']),
  },
  'estimate-signed-decoded-or-encoded': {
    question: 'Does the signature of a user estimate cover the decoded query values?',
    section: 'Signature algorithm',
    settings: '`decoded`: yes; `encoded`: it covers the values as the query spells them.',
    answer: z.enum(['decoded', 'encoded']),
  },
  'timestamp-without-offset': {
    question: 'Is an ISO 8601 time without an offset accepted, and in which zone is it read?',
    section: 'Token request body',
    settings: '`utc`: it is read as UTC; `refused`.',
    answer: z.enum(['utc', 'refused']),
  },
  'estimate-content-type-required': {
    question: 'Is an estimate request without a `Content-Type` header refused?',
    section: '2. Estimate prices',
    settings: '`no` or `yes`.',
    answer: noOrYes,
  },
  'refused-request-extends-ban': {
    question: `Does a request during a ban restart its ${DURATION_WORDS.ban}?`,
    section: 'Limits',
    settings: '`no` or `yes`.',
    answer: noOrYes,
  },
  'signed-fields-estimate': {
    question: 'Which parameters of a user estimate enter the signature?',
    section: 'Signature algorithm',
    settings: '`all` parameters of the query, or a list of parameter names.',
    answer: signedFields,
  },
  'text-zero-signed': {
    question: 'Does the text "0" enter the signature, as the number 0 does?',
    section: 'Signature algorithm',
    settings: '`kept`: yes; `skipped`: it counts as empty.',
    answer: z.enum(['kept', 'skipped']),
  },
  'slash-in-list': {
    question: 'Is a slash inside a list escaped in the JSON that is signed?',
    section: 'Signature algorithm',
    settings: '`escaped` (`\\/`) or `plain`.',
    answer: z.enum(['escaped', 'plain']),
  },
  'signature-hex-case': {
    question: 'Is a signature in upper-case hex accepted?',
    section: 'Signature algorithm',
    settings: '`any` case, or only `lower` case.',
    answer: z.enum(['any', 'lower']),
  },
  'timestamp-future': {
    question: 'Is a `_` in the future accepted?',
    section: 'Token request body',
    settings: `\`accepted\`; \`within-validity\`: up to ${DURATION_WORDS.timestampValidity} ahead; \`refused\`: beyond 30 seconds ahead.`,
    answer: z.enum(['accepted', 'within-validity', 'refused']),
  },
  'nostr-replay': {
    question: `Is a \`nostr\` refused when the same partner sends it twice within ${DURATION_WORDS.timestampValidity}?`,
    section: 'Token request body',
    settings: '`accepted` or `refused`.',
    answer: z.enum(['accepted', 'refused']),
  },
  'unknown-scope': {
    question: 'What happens to a scope that the interface does not name?',
    section: 'Scope values',
    settings:
      '`refused`: the request fails; `granted`: the token has it; `dropped`: the token lacks it.',
    answer: z.enum(['refused', 'granted', 'dropped']),
  },
  'failed-requests-count': {
    question: 'Do refused token requests count against the allowance?',
    section: 'Limits',
    settings: '`no`, or `yes` if the partner is known and the grant type is one of the three.',
    answer: noOrYes,
  },
  'day-boundary': {
    question: 'When does the day of an allowance end?',
    section: 'Limits',
    settings: '`calendar-utc`: at midnight UTC; `rolling`: 24 hours after each request.',
    answer: z.enum(['calendar-utc', 'rolling']),
  },
  'ban-reach': {
    question: 'Does a ban cover other kinds of token requests, or estimates?',
    section: 'Limits',
    settings:
      '`kind`: only the exceeded kind; `tokens`: all token requests; `everything`: estimates too.',
    answer: z.enum(['kind', 'tokens', 'everything']),
  },
  'user-quota-reach': {
    question: 'Are user tokens counted per partner or per user?',
    section: 'Limits',
    settings: '`partner` or `user`.',
    answer: z.enum(['partner', 'user']),
  },
  'refresh-replay-consequence': {
    question: 'What else happens when a used `refresh_token` is sent again?',
    section: 'States and transitions',
    settings:
      '`refused`: nothing else; `family-ended`: all tokens refreshed from the same first token end.',
    answer: z.enum(['refused', 'family-ended']),
  },
  'user-token-platform-header': {
    question: 'Is a user token accepted in the header of a platform estimate?',
    section: 'Authentication',
    settings: '`accepted` or `refused`.',
    answer: z.enum(['accepted', 'refused']),
  },
  'error-status': {
    question: 'Which status belongs to which error condition?',
    section: 'Errors',
    settings: 'A status from 300 to 599 for each condition by name.',
    answer: errorStatuses,
  },
  'error-body': {
    question: 'What does the body of an error look like?',
    section: 'Errors',
    settings: '`json` (`{error:{code,message}}`), `text`, or `empty`.',
    answer: z.enum(['json', 'text', 'empty']),
  },
  'unknown-product-type': {
    question: 'What is the response to a `product_type` that the interface does not name?',
    section: 'Estimate record',
    settings: '`refused`, `no-estimate`, or `estimated` (as the nearest known product).',
    answer: z.enum(['refused', 'no-estimate', 'estimated']),
  },
  'unknown-ride-type': {
    question: 'What is the response to a `ride_type` that the interface does not show?',
    section: 'Estimate record',
    settings: '`refused`, `no-estimate`, or `estimated`.',
    answer: z.enum(['refused', 'no-estimate', 'estimated']),
  },
  'map-types': {
    question: 'Which coordinate systems does `map_type` accept?',
    section: '2. Estimate prices',
    settings: '`any`, or a list of names; `soso` is always accepted.',
    answer: z.union([z.literal('any'), z.array(z.string().min(1)).min(1).readonly()]),
  },
  'no-estimate-answer': {
    question: 'What is the response when no estimate exists?',
    section: '2. Estimate prices',
    settings: '`empty-array` with status 200, or `refused`.',
    answer: z.enum(['empty-array', 'refused']),
  },
  'car-type-codes': {
    question: 'Which `car_type` codes exist?',
    section: 'Estimate record',
    settings: 'A list of integers; each ride type has one of them.',
    answer: z.array(z.int()).min(1).readonly(),
  },
  'pay-type-codes': {
    question: 'Which `pay_type` codes exist?',
    section: 'Estimate record',
    settings: 'A list of codes; a record has one or two of them.',
    answer: z
      .array(z.string().regex(/^[^,\s]+$/))
      .min(1)
      .readonly(),
  },
  'estimate-rate-limit': {
    question: 'Is there a rate limit on estimates?',
    section: 'Limits',
    settings: '`none`, or `{perSecond: n}` for each partner.',
    answer: rateLimit,
  },
  'token-type-spelling': {
    question: 'How is the bearer type spelled in `token_type`?',
    section: 'Token response body',
    settings: '`bearer`, `bear` or `Bearer`.',
    answer: z.enum(['bearer', 'bear', 'Bearer']),
  },
  'version-policy': {
    question: 'Which version prefixes are served besides `/v1/`?',
    section: 'Versioning',
    settings: '`v1-only`: none; `any-version`: `/v2/` and above respond like `/v1/`.',
    answer: z.enum(['v1-only', 'any-version']),
  },
  'refresh-scope': {
    question: 'Which scope has a refreshed token if the refresh names none, or a wider one?',
    section: 'Token request body',
    settings:
      '`{unnamed, wider}`. `unnamed`: `kept` from the token, or `public`. `wider`: `granted`, `kept` from the token, or `refused`.',
    answer: z
      .strictObject({
        unnamed: z.enum(['kept', 'public']).default('kept'),
        wider: z.enum(['granted', 'kept', 'refused']).default('granted'),
      })
      .readonly(),
  },
  'auth-code-reuse': {
    question: 'Is an `auth_code` refused when it is sent again?',
    section: 'Token request body',
    settings: '`refused`, or `accepted`: it yields another token of that user.',
    answer: z.enum(['refused', 'accepted']),
  },
  'departure-time-text': {
    question: 'Which texts other than Unix seconds does `departure_time` accept?',
    section: '2. Estimate prices',
    settings:
      '`iso8601`: a date with a time in ISO 8601, in UTC without an offset; `refused`: none.',
    answer: z.enum(['iso8601', 'refused']),
  },
  'platform-token-after-refresh': {
    question: 'Does a platform token stay valid after its refresh?',
    section: 'States and transitions',
    settings: '`valid`: until it expires; `ended`: its refresh ends it.',
    answer: z.enum(['valid', 'ended']),
  },
  'newest-user-token-reach': {
    question: 'Is the newest user token the newest of a user, or of all users of a partner?',
    section: 'Token response body',
    settings: '`user`: other users keep theirs; `partner`: a partner has one valid user token.',
    answer: z.enum(['user', 'partner']),
  },
  'whitespace-trimmed': {
    question: 'Which characters are whitespace where keys and values are trimmed?',
    section: 'Signature algorithm',
    settings:
      '`ascii`: space, tab, line feed, vertical tab, form feed and carriage return; `unicode`: those and all other whitespace of Unicode; `php`: those of ASCII and NUL, but not the form feed.',
    answer: z.enum(['ascii', 'unicode', 'php']),
  },
  'null-and-empty-list-signed': {
    question: 'Do null and an empty list enter the signature, or do they count as empty?',
    section: 'Signature algorithm',
    settings:
      '`skipped`: both count as empty; `lists`: an empty list or object enters as its JSON; `both`: null enters too, as `null`.',
    answer: z.enum(['skipped', 'lists', 'both']),
  },
  'token-content-type-required': {
    question:
      'Is a token request refused if its `Content-Type` is missing, or is not that of JSON?',
    section: '1. Request, refresh or exchange a token',
    settings: '`no`: only that of a form is refused; `yes`: any but `application/json`.',
    answer: noOrYes,
  },
  'token-rate-limit': {
    question: 'Is there a rate limit on token requests, besides the allowances of a day?',
    section: 'Limits',
    settings: '`none`, or `{perSecond: n}` for each partner.',
    answer: rateLimit,
  },
  'states-and-transitions': {
    question: 'Which named states and further transitions are there?',
    section: 'States and transitions',
    settings: NOT_SHOWN,
    answer: notShown,
  },
  'ride-and-user-endpoints': {
    question: 'What are the endpoints for rides and for information about users?',
    section: '2. Estimate prices',
    settings: NOT_SHOWN,
    answer: notShown,
  },
  events: {
    question: 'Which events, callbacks or notifications are there?',
    section: 'Events',
    settings: NOT_SHOWN,
    answer: notShown,
  },
} satisfies Record<string, Omit<Gap, 'id'> & { readonly answer: z.ZodType }>;

type Register = typeof REGISTER;

/** Id of a gap; also its key in a behaviour file. */
export type GapId = keyof Register;

const GAP_IDS = Object.keys(REGISTER) as readonly GapId[];

/** The gaps in the order of a report. */
export const GAPS: readonly (Gap & { readonly id: GapId })[] = GAP_IDS.map((id) => {
  const { question, section, settings } = REGISTER[id];
  return { id, question, section, settings };
});

/** Schemas of the answers to the gaps, by id. */
export const ANSWER_SCHEMAS = Object.fromEntries(
  GAP_IDS.map((id) => [id, REGISTER[id].answer]),
) as { readonly [Id in GapId]: Register[Id]['answer'] };

/** Answers to all gaps; {@link GAPS} gives the meaning of each setting. */
export type Behaviour = {
  readonly [Id in keyof typeof ANSWER_SCHEMAS]: z.output<(typeof ANSWER_SCHEMAS)[Id]>;
};
