import { z } from 'zod';
import type { SignatureSettings } from './signature.ts';

/** A question that the interface leaves open ("not shown"); observed and reported, never judged. */
export interface Gap {
  /** Permanent id; also the key of its setting in a behaviour file. */
  readonly id: string;
  readonly question: string;
  /** Heading of interface.md that leaves it open. */
  readonly section: string;
  /** What the settings mean, in a sentence. */
  readonly settings: string;
}

/**
 * Conditions under which a request is refused; the interface fixes no status for any of them
 * (interface.md, "Errors"), so the setting `error-status` holds one each.
 */
export const ERROR_CONDITIONS = [
  'authorization-missing',
  'authorization-shape',
  'partner-unknown',
  'signature-invalid',
  'body-invalid',
  'field-missing',
  'field-invalid',
  'grant-type-unknown',
  'timestamp-expired',
  'nostr-replayed',
  'scope-unknown',
  'refresh-token-invalid',
  'auth-code-invalid',
  'quota-exceeded',
  'banned',
  'access-token-invalid',
  'access-token-expired',
  'scope-insufficient',
  'parameter-missing',
  'parameter-invalid',
  'no-estimate',
  'rate-limited',
  'path-unknown',
  'method-not-allowed',
] as const;

/** One condition under which a request is refused. */
export type ErrorCondition = (typeof ERROR_CONDITIONS)[number];

/** Statuses that the reference server takes by default, by condition. */
export const DEFAULT_ERROR_STATUS: Readonly<Record<ErrorCondition, number>> = {
  'authorization-missing': 401,
  'authorization-shape': 401,
  'partner-unknown': 401,
  'signature-invalid': 401,
  'body-invalid': 400,
  'field-missing': 400,
  'field-invalid': 400,
  'grant-type-unknown': 400,
  'timestamp-expired': 400,
  'nostr-replayed': 400,
  'scope-unknown': 400,
  'refresh-token-invalid': 400,
  'auth-code-invalid': 400,
  'quota-exceeded': 429,
  banned: 403,
  'access-token-invalid': 401,
  'access-token-expired': 401,
  'scope-insufficient': 403,
  'parameter-missing': 400,
  'parameter-invalid': 400,
  'no-estimate': 404,
  'rate-limited': 429,
  'path-unknown': 404,
  'method-not-allowed': 405,
};

const errorStatus = z.int().min(300).max(599);

/** Which fields enter a signature: all of them, or those named. */
export type SignedFields = 'all' | readonly string[];

const signedFields = z.union([z.literal('all'), z.array(z.string().min(1))]);

/** Answers to the gaps, by gap id; {@link GAPS} says what each setting means. */
export interface Behaviour {
  readonly 'signed-fields-token': SignedFields;
  readonly 'signed-fields-estimate': SignedFields;
  readonly 'signed-booleans-and-objects': 'numeric' | 'literal';
  readonly 'text-zero-signed': 'kept' | 'skipped';
  readonly 'slash-in-list': 'escaped' | 'plain';
  readonly 'signature-hex-case': 'any' | 'lower';
  readonly 'estimate-signed-decoded-or-encoded': 'decoded' | 'encoded';
  readonly 'timestamp-without-offset': 'utc' | 'refused';
  readonly 'timestamp-future': 'accepted' | 'within-validity' | 'refused';
  readonly 'nostr-replay': 'accepted' | 'refused';
  readonly 'unknown-scope': 'refused' | 'granted' | 'dropped';
  readonly 'failed-requests-count': 'no' | 'yes';
  readonly 'day-boundary': 'calendar-utc' | 'rolling';
  readonly 'refused-request-extends-ban': 'no' | 'yes';
  readonly 'ban-reach': 'kind' | 'tokens' | 'everything';
  readonly 'user-quota-reach': 'partner' | 'user';
  readonly 'refresh-replay-consequence': 'refused' | 'family-ended';
  readonly 'user-token-platform-header': 'accepted' | 'refused';
  readonly 'error-status': { readonly [condition in ErrorCondition]?: number | undefined };
  readonly 'error-body': 'json' | 'text' | 'empty';
  readonly 'unknown-product-type': 'refused' | 'no-estimate' | 'estimated';
  readonly 'unknown-ride-type': 'refused' | 'no-estimate' | 'estimated';
  readonly 'map-types': 'any' | readonly string[];
  readonly 'no-estimate-answer': 'empty-array' | 'refused';
  readonly 'car-type-codes': readonly number[];
  readonly 'pay-type-codes': readonly string[];
  readonly 'estimate-rate-limit': 'none' | { readonly perSecond: number };
  readonly 'estimate-content-type-required': 'no' | 'yes';
  readonly 'token-type-spelling': 'bearer' | 'bear' | 'Bearer';
  readonly 'version-policy': 'v1-only' | 'any-version';
}

/** Answers to the gaps as a user writes them: any part of them. */
export type BehaviourInput = { readonly [Id in keyof Behaviour]?: Behaviour[Id] | undefined };

/** Id of a gap; the same set as the keys of a behaviour file. */
export type GapId = keyof Behaviour;

/**
 * Answers to the gaps, by gap id, as `serve --behaviour FILE` reads them and
 * `check --save-behaviour FILE` writes them; every key may be left out.
 */
export const behaviourSchema: z.ZodType<Behaviour, BehaviourInput> = z.strictObject({
  'signed-fields-token': signedFields.default('all'),
  'signed-fields-estimate': signedFields.default('all'),
  'signed-booleans-and-objects': z.enum(['numeric', 'literal']).default('numeric'),
  'text-zero-signed': z.enum(['kept', 'skipped']).default('kept'),
  'slash-in-list': z.enum(['escaped', 'plain']).default('escaped'),
  'signature-hex-case': z.enum(['any', 'lower']).default('any'),
  'estimate-signed-decoded-or-encoded': z.enum(['decoded', 'encoded']).default('decoded'),
  'timestamp-without-offset': z.enum(['utc', 'refused']).default('utc'),
  'timestamp-future': z.enum(['accepted', 'within-validity', 'refused']).default('within-validity'),
  'nostr-replay': z.enum(['accepted', 'refused']).default('accepted'),
  'unknown-scope': z.enum(['refused', 'granted', 'dropped']).default('refused'),
  'failed-requests-count': z.enum(['no', 'yes']).default('no'),
  'day-boundary': z.enum(['calendar-utc', 'rolling']).default('calendar-utc'),
  'refused-request-extends-ban': z.enum(['no', 'yes']).default('no'),
  'ban-reach': z.enum(['kind', 'tokens', 'everything']).default('kind'),
  'user-quota-reach': z.enum(['partner', 'user']).default('partner'),
  'refresh-replay-consequence': z.enum(['refused', 'family-ended']).default('refused'),
  'user-token-platform-header': z.enum(['accepted', 'refused']).default('accepted'),
  'error-status': z
    .strictObject(
      Object.fromEntries(ERROR_CONDITIONS.map((name) => [name, errorStatus.optional()])) as Record<
        ErrorCondition,
        z.ZodOptional<typeof errorStatus>
      >,
    )
    .default({}),
  'error-body': z.enum(['json', 'text', 'empty']).default('json'),
  'unknown-product-type': z.enum(['refused', 'no-estimate', 'estimated']).default('refused'),
  'unknown-ride-type': z.enum(['refused', 'no-estimate', 'estimated']).default('estimated'),
  'map-types': z.union([z.literal('any'), z.array(z.string().min(1)).min(1)]).default('any'),
  'no-estimate-answer': z.enum(['empty-array', 'refused']).default('empty-array'),
  'car-type-codes': z.array(z.int()).min(1).default([100, 200, 300]),
  'pay-type-codes': z
    .array(z.string().regex(/^[^,\s]+$/))
    .min(1)
    .default(['1', '2']),
  'estimate-rate-limit': z
    .union([z.literal('none'), z.strictObject({ perSecond: z.int().min(1) })])
    .default('none'),
  'estimate-content-type-required': z.enum(['no', 'yes']).default('no'),
  'token-type-spelling': z.enum(['bearer', 'bear', 'Bearer']).default('bearer'),
  'version-policy': z.enum(['v1-only', 'any-version']).default('v1-only'),
});

/** The reference server's own answers. */
export const DEFAULT_BEHAVIOUR: Behaviour = behaviourSchema.parse({});

/** The register of gaps, in the order of rules.md. */
export const GAPS: readonly (Gap & { readonly id: GapId })[] = [
  {
    id: 'signed-fields-token',
    question: 'Which fields of a token request are the pairs that enter the signature?',
    section: 'Signature algorithm',
    settings: '`all` fields of the body, or a list of names.',
  },
  {
    id: 'signed-booleans-and-objects',
    question: 'How do booleans enter the signature, and is an object encoded like a list?',
    section: 'Signature algorithm',
    settings:
      '`numeric`: true is `1`, false is empty; `literal`: `true` and `false`. Objects enter as JSON.',
  },
  {
    id: 'estimate-signed-decoded-or-encoded',
    question: "Does a user estimate's signature cover the decoded values of the query?",
    section: 'Signature algorithm',
    settings: '`decoded` values, or values as they are `encoded` in the query.',
  },
  {
    id: 'timestamp-without-offset',
    question: 'Is an ISO 8601 time without an offset accepted, and in which zone is it read?',
    section: 'Token request body',
    settings: '`utc`: read as UTC; `refused`.',
  },
  {
    id: 'estimate-content-type-required',
    question: 'Is an estimate request without its Content-Type header refused?',
    section: '2. Estimate prices',
    settings: '`no` or `yes`.',
  },
  {
    id: 'refused-request-extends-ban',
    question: 'Does a request during a ban start its 24 hours anew?',
    section: 'Limits',
    settings: '`no` or `yes`.',
  },
  {
    id: 'signed-fields-estimate',
    question: 'Which parameters of a user estimate are the pairs that enter the signature?',
    section: 'Signature algorithm',
    settings: '`all` parameters of the query, or a list of names.',
  },
  {
    id: 'text-zero-signed',
    question: 'Does the text "0" enter the signature like the number 0?',
    section: 'Signature algorithm',
    settings: '`kept` or `skipped`.',
  },
  {
    id: 'slash-in-list',
    question: 'Is a slash inside a list escaped in the JSON that is signed?',
    section: 'Signature algorithm',
    settings: '`escaped` (`\\/`) or `plain`.',
  },
  {
    id: 'signature-hex-case',
    question: 'Is a signature in upper-case hex accepted?',
    section: 'Signature algorithm',
    settings: '`any` case, or `lower` only.',
  },
  {
    id: 'timestamp-future',
    question: 'Is a `_` in the future accepted?',
    section: 'Token request body',
    settings: '`accepted`, accepted `within-validity` (10 minutes), or `refused` (beyond 30 s).',
  },
  {
    id: 'nostr-replay',
    question: 'Is a nostr refused when the same partner sends it twice within 10 minutes?',
    section: 'Token request body',
    settings: '`accepted` or `refused`.',
  },
  {
    id: 'unknown-scope',
    question: 'What happens to a scope that the interface does not name?',
    section: 'Scope values',
    settings: 'The request is `refused`, the scope is `granted`, or `dropped` from the token.',
  },
  {
    id: 'failed-requests-count',
    question: 'Do refused token requests count against the allowance?',
    section: 'Limits',
    settings: '`no` or `yes` (once the partner is known and the grant type is one of the three).',
  },
  {
    id: 'day-boundary',
    question: 'When does the day of an allowance end?',
    section: 'Limits',
    settings: '`calendar-utc`: at midnight UTC; `rolling`: 24 hours after each request.',
  },
  {
    id: 'ban-reach',
    question: 'Does a ban reach other kinds of token requests, or estimates?',
    section: 'Limits',
    settings: 'The exceeded `kind` alone, all `tokens` requests, or `everything`.',
  },
  {
    id: 'user-quota-reach',
    question: 'Is the allowance of user tokens counted per partner or per user?',
    section: 'Limits',
    settings: '`partner` or `user`.',
  },
  {
    id: 'refresh-replay-consequence',
    question: 'What else happens when a used refresh_token is sent again?',
    section: 'States and transitions',
    settings: 'It is `refused` and nothing else, or its whole `family-ended`.',
  },
  {
    id: 'user-token-platform-header',
    question: 'Is a user token accepted with the header of a platform estimate?',
    section: 'Authentication',
    settings: '`accepted` or `refused`.',
  },
  {
    id: 'error-status',
    question: 'Which status belongs to which condition?',
    section: 'Errors',
    settings: 'A status from 300 to 599 for each condition by name.',
  },
  {
    id: 'error-body',
    question: 'What does the body of an error look like?',
    section: 'Errors',
    settings: '`json` `{error:{code,message}}`, `text`, or `empty`.',
  },
  {
    id: 'unknown-product-type',
    question: 'What is the answer to a product_type that the interface does not name?',
    section: 'Estimate record',
    settings: '`refused`, `no-estimate`, or `estimated` (as the nearest known product).',
  },
  {
    id: 'unknown-ride-type',
    question: 'What is the answer to a ride_type beyond the values seen?',
    section: 'Estimate record',
    settings: '`refused`, `no-estimate`, or `estimated`.',
  },
  {
    id: 'map-types',
    question: 'Which coordinate systems may map_type name?',
    section: '2. Estimate prices',
    settings: '`any`, or a list of names; `soso` is always accepted.',
  },
  {
    id: 'no-estimate-answer',
    question: 'What is the answer when no estimate exists?',
    section: '2. Estimate prices',
    settings: '`empty-array` with 200, or `refused`.',
  },
  {
    id: 'car-type-codes',
    question: 'Which car_type codes are there?',
    section: 'Estimate record',
    settings: 'A list of integers; a ride type takes one of them.',
  },
  {
    id: 'pay-type-codes',
    question: 'Which pay_type codes are there?',
    section: 'Estimate record',
    settings: 'A list of codes; a record names one or two of them.',
  },
  {
    id: 'estimate-rate-limit',
    question: 'Is there a rate limit on estimates?',
    section: 'Limits',
    settings: '`none`, or `{perSecond: n}` for each partner.',
  },
  {
    id: 'token-type-spelling',
    question: 'How is the bearer type spelled in token_type?',
    section: 'Token response body',
    settings: '`bearer`, `bear` or `Bearer`.',
  },
  {
    id: 'version-policy',
    question: 'Which version prefixes are served beside `/v1/`?',
    section: 'Versioning',
    settings: '`v1-only`, or `any-version` (`/v2/` and up answer like `/v1/`).',
  },
];

/** The signature settings that a behaviour stands for. */
export function signatureSettingsOf(behaviour: Behaviour): SignatureSettings {
  return {
    textZero: behaviour['text-zero-signed'],
    slashInList: behaviour['slash-in-list'],
    booleans: behaviour['signed-booleans-and-objects'],
  };
}
