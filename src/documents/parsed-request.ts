import { z } from 'zod';
import {
  count,
  type DocumentOf,
  flag,
  group,
  list,
  number,
  oneOf,
  record,
  text,
  texts,
} from './fields.ts';

const pseudonym = (description: string) => text(`${description}, as a pseudonym.`).nullable();

const authorizationSchema = group('The Authorization header.', {
  form: oneOf(
    ['missing', 'pair', 'user', 'other'],
    '`pair`: `Bearer ID|X`; `user`: `Bearer ID|SIGN openid|TOKEN`.',
  ),
  shape: text('Scheme and shape in words, for `other`.'),
  partnerId: text('Partner id.').nullable(),
  second: pseudonym('Signature or access token of a pair'),
  userToken: pseudonym('Access token of a user'),
});

const tokenBodySchema = group('The body of a token request.', {
  body: oneOf(['json', 'form', 'other'], 'Format of the body.'),
  fields: record('JSON values by name, secrets as pseudonyms.', z.unknown()),
  fault: text(
    'Why a body is not JSON; left out of one that is, and where that is not known.',
  ).optional(),
});

const estimateQuerySchema = group('The query of an estimate request.', {
  parameters: record('Decoded values by name; of two with one name, the last.', z.string()),
  encodingFault: text('What is wrong with the encoding of the query.').nullable(),
  encodingDoubt: text(
    'What may be wrong with the encoding of the query; left out where nothing is in doubt.',
  ).optional(),
  inBody: flag('Set if parameters are in the body.').optional(),
});

const signatureSchema = group('The signature of a request.', {
  verdict: oneOf(
    ['right', 'explained', 'unexplained'],
    '`explained`: wrong, and the mistakes explain how.',
  ),
  mistakes: list(
    'The mistakes that explain a wrong signature.',
    z.object({
      id: text('Id of the mistake.'),
      statement: text('The mistake.'),
      advice: text('How to correct it.'),
    }),
  ),
  signedText: text('The text that was signed, if known, secrets as pseudonyms.').nullable(),
  canonical: text('The text to be signed, secrets as pseudonyms.'),
  unsearched: flag('Set if no mistake was looked for: the request has too many fields.').optional(),
  encodedTwice: flag('Set if it is right for the values as decoded once more.').optional(),
  gaps: texts(
    'Gaps to which a right signature needs another answer than the default; left out for none.',
  ).optional(),
});

const answerSchema = group('The response, as far as the client may use it.', {
  status: z.int().nullable().meta({ description: 'HTTP status; null where no response began.' }),
  whole: flag('Whether the last byte was sent.'),
  isJson: flag('Whether the body is JSON.'),
  accessToken: pseudonym('Access token of the response'),
  refreshToken: pseudonym('Refresh token of the response'),
  expiresInS: z.number().nullable().meta({ description: 'Lifetime of the token, in seconds.' }),
  estimateIds: texts('Estimate ids of the response.'),
  retryAfterS: number('Seconds of a Retry-After; left out for none.').optional(),
  refusal: text('What a response other than 200 says, shortened; left out of others.').optional(),
});

/** Kinds of stimulus: what a scenario does to one exchange. */
export const stimulusKindSchema = oneOf(
  ['failure', 'lost-answer', 'refusal', 'carpool', 'unknown-fields', 'newer-token', 'delay'],
  'What the scenario did to the exchange.',
);

/** Schema of {@link ParsedRequest}. */
export const parsedRequestSchema = group(
  'A request of a client, parsed: all that the rules look at, no secret. Left out of a check.',
  {
    id: text('Id of the exchange.'),
    scenario: text('Name of the scenario; null outside of scenarios.').nullable(),
    attempt: count('Attempt of the scenario, from 2; left out for the first.').optional(),
    sender: oneOf(['client', 'elsewhere'], '`elsewhere`: sent by the scenario itself.'),
    isRedirected: flag(
      'Set if it followed a redirect of the scenario to another origin.',
    ).optional(),
    receivedMs: number("Arrival by the server's clock, in milliseconds since the epoch."),
    finishedMs: z.number().nullable().meta({
      description:
        "When the last byte of the response was sent, by the server's clock, in milliseconds since the epoch; null where the connection broke.",
    }),
    delayMs: number(
      'Longest time that it may have waited before its arrival was noted, as measured; absent for none.',
    ).optional(),
    clockStepMs: number(
      "This machine's clock was set by about so many milliseconds shortly before or meanwhile, or the machine was suspended: neither it nor what passed since earlier requests is judged. Left out of most.",
    ).optional(),
    clockSetByMs: number(
      "Milliseconds by which this machine's clock had been set since the run began: a time in the request may be right by it or without. Left out for none.",
    ).optional(),
    connection: count('Number of the connection that it came over; absent if unknown.').optional(),
    kind: oneOf(
      ['token', 'estimate', 'other', 'probe', 'malformed'],
      'What the request is about, by its path, or where that is wrong, by its content; a `probe` is outside the interface.',
    ),
    method: text('HTTP method.'),
    path: text('Path without the query.'),
    contentType: text('Content-Type header.').nullable(),
    authorization: authorizationSchema,
    partnerKnown: flag('Whether the partner id is one that the client was given.').nullable(),
    token: tokenBodySchema.nullable(),
    estimate: estimateQuerySchema.nullable(),
    signature: signatureSchema.nullable(),
    misplaced: list(
      'Secrets that stand where the interface does not put them; left out for none.',
      z.object({
        secret: oneOf(['signing_key', 'access_token', 'refresh_token', 'auth_code'], 'Its kind.'),
        place: text('Where it stands, such as `the address`.'),
      }),
    ).optional(),
    answer: answerSchema,
    stimuli: list('What the scenario did to the exchange.', stimulusKindSchema),
    overlaps: flag(
      'Whether it may have been sent before an earlier response was received; absent if unknown.',
    ).optional(),
  },
);

/** A request of a client, parsed: all that the rules look at, no secret. */
export type ParsedRequest = DocumentOf<typeof parsedRequestSchema>;

/** Authorization header of a request. */
export type ParsedAuthorization = ParsedRequest['authorization'];

/** Body of a token request. */
export type ParsedTokenBody = NonNullable<ParsedRequest['token']>;

/** Query of an estimate request. */
export type ParsedEstimateQuery = NonNullable<ParsedRequest['estimate']>;

/** Verdict on the signature of a request. */
export type SignatureDiagnosis = NonNullable<ParsedRequest['signature']>;

/** Answer to a request, as far as a client may use it. */
export type ParsedAnswer = ParsedRequest['answer'];

/** Topic of a request. */
export type RequestKind = ParsedRequest['kind'];

/** Effect of a scenario on one exchange. */
export type StimulusKind = ParsedRequest['stimuli'][number];
