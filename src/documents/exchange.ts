import { z } from 'zod';
import { ESTIMATE_SHAPES } from '../interface/target-profile.ts';
import {
  count,
  type DocumentOf,
  flag,
  group,
  instant,
  number,
  oneOf,
  record,
  text,
} from './fields.ts';
import { parsedRequestSchema } from './parsed-request.ts';

/** Base requests of checks, see {@link Batch}. */
export const BASE_REQUESTS = [
  'platform',
  'refresh',
  'user',
  'estimate',
  'user-estimate',
  'standalone',
] as const;

const headersSchema = record('Header fields by name.', z.string());

const signedSchema = group(
  'What was signed for the request; left out of one without a signature, and of a certification.',
  {
    text: text(
      'The text S before the digest, secrets redacted; null where the signature was made of no text.',
    ).nullable(),
    key: oneOf(
      ['own', 'empty', 'partner-id', 'other'],
      "`own`: signed with the partner's key; the others: deliberately with another key, which is not stored.",
    ),
    alteration: text(
      'How the signature was spoiled on purpose; left out where it was not.',
    ).optional(),
  },
);

const batchSchema = group('The checks that share the well-formed requests before and after them.', {
  id: text('Id of the batch.'),
  baseRequest: oneOf(BASE_REQUESTS, 'The well-formed request that its checks vary.'),
  setting: z
    .object({
      shape: oneOf(ESTIMATE_SHAPES, 'Shape of estimates.').optional(),
      afterRefresh: z.literal(true).optional().meta({ description: 'The token was refreshed.' }),
      ofUser: z.literal(true).optional().meta({ description: "The refresh_token is a user's." }),
      withScope: z.literal(true).optional().meta({ description: 'The scope is named.' }),
      circumstance: text('Circumstance of requests without a base request.').optional(),
    })
    .meta({ description: 'Circumstances in which the base request is sent.' }),
  opening: text(
    'Id of the exchange of an earlier batch that stands for its own first request.',
  ).optional(),
  isProbe: z.literal(true).optional().meta({ description: 'Set where only gaps are probed.' }),
});

const madeSchema = record(
  'Recipe by which the request is made again: the texts that are new whenever it is made, as this document has them, and what takes their place; all else stays. Left out of requests that cannot be made again, and of a certification.',
  z.object({
    is: oneOf(
      ['time', 'nostr', 'signature', 'access_token', 'refresh_token', 'auth_code'],
      'What takes the place of the text.',
    ),
    secondsAgo: number('Age of a time when it was sent; left out for the current one.').optional(),
    form: text('Form of a time; left out for the usual one.').optional(),
    from: text('Id of the exchange that brought a token.').optional(),
    of: text(
      'Partner that an auth code was made for, or whose access token of the profile it is; a secret with neither `from` nor `of` was made up.',
    ).optional(),
  }),
);

const partSchema = group(
  'The part of the run that sent it; left out of a request of no check, and of a certification.',
  {
    batch: batchSchema.optional(),
    check: text('Id of the check; left out for the requests around checks.').optional(),
    attempt: count('Number of the attempt of the check, from 1.').optional(),
    counted: z.literal(true).optional().meta({
      description: 'Set where the response depends on how many requests were sent before.',
    }),
    step: oneOf(
      ['token', 'refreshed', 'open', 'rested', 'close'],
      'Which of the requests around checks it is.',
    ).optional(),
    number: count('Number of the request in its part, from 1.'),
    form: count('Number of the other form of `_` that was tried, from 1.').optional(),
    repeat: count(
      'Number of the time it was sent, from 2, after a refusal for the rate.',
    ).optional(),
  },
);

/** Schema of {@link Exchange}. */
export const exchangeSchema = group('One request and its response, secrets redacted.', {
  id: text('`x1`, `x2` … in the order of sending.'),
  at: instant(
    "Time of sending, ISO 8601: this machine's wall clock when the run began, and what has passed since by a clock that never jumps.",
  ),
  elapsedMs: number(
    'Time from the start of the run to the sending, in milliseconds, by a clock that never jumps; left out of documents of earlier releases.',
  ).optional(),
  clockStepMs: number(
    'A clock was set by about so many milliseconds while this was measured, on this machine or on the target, or the machine was suspended: nothing is judged by it. Left out of most.',
  ).optional(),
  targetAt: instant(
    "Time of sending by the target's clock, ISO 8601; left out where that cannot be moved.",
  ).optional(),
  purpose: text('Purpose of the request.'),
  expects: oneOf(
    ['accepted', 'refused', 'either'],
    'Response of a service that follows the rules: 200, any other status, or either of them. Left out of requests that judge nothing, and of a certification.',
  ).optional(),
  partnerId: text('Partner in whose name it was sent.').nullable(),
  otherPartner: text(
    'Another partner that the target knows, by whose id it was sent; left out of most.',
  ).optional(),
  connection: text(
    'Name of the kept connection that only requests with this name used; left out where it used any.',
  ).optional(),
  request: z.object({
    method: text('HTTP method.'),
    url: text('Absolute URL.'),
    headers: headersSchema,
    body: text('Body.').nullable(),
    bodyBytes: count(
      'Number of body bytes sent, before secrets were redacted; left out without a body, and of a certification.',
    ).optional(),
  }),
  signed: signedSchema.optional(),
  made: madeSchema.optional(),
  response: z
    .object({
      status: z.int().meta({ description: 'HTTP status.' }),
      headers: headersSchema,
      body: text('Body, decoded; cut where `truncated` is true.'),
      bodyBytes: count('Number of body bytes received.'),
      truncated: flag('Whether the stored body is cut, or headers are left out.'),
      cut: group(
        'What is left out of the response to keep the document small; only where it is cut.',
        {
          bodyBytes: count('Bytes of the body that are left out.'),
          headerFields: count('Number of header fields that are left out.'),
        },
      ).optional(),
    })
    .nullable()
    .meta({ description: 'The response; null where none came.' }),
  error: z
    .object({ code: text('Error code.'), message: text('Error message.') })
    .nullable()
    .meta({ description: 'What broke, where no whole response came.' }),
  durationMs: number('Time to the end of the response, in milliseconds.'),
  part: partSchema.optional(),
  observed: parsedRequestSchema.optional(),
});

/** One request and its response, secrets redacted: the evidence of a verdict. */
export type Exchange = DocumentOf<typeof exchangeSchema>;

/** Recipe by which a request is made again. */
export type Made = NonNullable<Exchange['made']>;

/** Value that takes the place of a text of a request whenever it is made. */
export type Anew = Made[string];

/** Part of a run that sent a request. */
export type Part = NonNullable<Exchange['part']>;

/** The checks that share the well-formed requests before and after them. */
export type PartBatch = NonNullable<Part['batch']>;

/** Header fields by name. */
export type Headers = Exchange['request']['headers'];
