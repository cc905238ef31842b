import type { CheckContext } from '../../contract/check.ts';
import type { EstimateAttempt, Fields, TokenAttempt } from '../../contract/messages.ts';
import { optionalParameters } from '../../contract/messages.ts';
import { WIDE_SCOPE } from '../lifecycle/lineage.ts';
import { EXTRA } from './witness.ts';

/** A form of a request that a service may take: in words, and what it changes. */
type Form<Attempt> = readonly [words: string, change: (ctx: CheckContext) => Partial<Attempt>];

const withFields = (words: string, fieldsOf: (ctx: CheckContext) => Fields): Form<TokenAttempt> => [
  words,
  (ctx) => ({ fields: fieldsOf(ctx) }),
];

const reversed = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).reverse());

/** Forms of a token request: a service that takes one of them looks at its signature all the same. */
export const TOKEN_FORMS: readonly Form<TokenAttempt>[] = [
  [
    'a Content-Type that names a charset',
    () => ({ contentType: 'application/json; charset=utf-8' }),
  ],
  ['no Content-Type', () => ({ contentType: false })],
  withFields('an offset in _', (ctx) => ctx.base({ _: ctx.timestamp(0, 'with +08:00') })),
  withFields('a fraction in _', (ctx) =>
    ctx.base({ _: ctx.timestamp(1, 'with the fraction .250') }),
  ),
  withFields('_ in the basic format', (ctx) =>
    ctx.base({ _: ctx.timestamp(0, 'in the basic format') }),
  ),
  withFields('its fields in reverse order', (ctx) => reversed(ctx.base())),
  withFields('several scopes', (ctx) => ctx.base({ scope: WIDE_SCOPE })),
  withFields('a further field', (ctx) => ctx.base({ [EXTRA]: 'text' })),
  [
    'a body with line breaks',
    (ctx) => {
      const fields = ctx.base();
      return { fields, body: JSON.stringify(fields, null, 2) };
    },
  ],
];

type Query = Record<string, string>;

const withQuery = (words: string, queryOf: (ctx: CheckContext) => Query): Form<EstimateAttempt> => [
  words,
  (ctx) => ({ query: queryOf(ctx) }),
];

/** Forms of a user's estimate. */
export const ESTIMATE_FORMS: readonly Form<EstimateAttempt>[] = [
  withQuery('each optional parameter', (ctx) => ctx.query(optionalParameters(ctx.now()))),
  withQuery('a departure_time', (ctx) =>
    ctx.query({ departure_time: optionalParameters(ctx.now()).departure_time }),
  ),
  withQuery('names of non-ASCII text', (ctx) =>
    ctx.query({ from_name: '天安门', to_name: 'Zürich Flughafen' }),
  ),
  withQuery('its parameters in reverse order', (ctx) => reversed(ctx.query())),
  ['no Content-Type', () => ({ contentType: false })],
];
