import type { Check, CheckContext } from '../../contract/check.ts';
import type { TokenAttempt } from '../../contract/messages.ts';
import { refusals, type Variant } from '../../contract/templates.ts';
import {
  ANY_KIND,
  credentialChecks,
  nostrChecks,
  timestampChecks,
  withoutField,
} from './fields.ts';
import { scopeEcho } from './response.ts';

const unknownId = ({ id, random }: CheckContext): string => `${id}-${random.text(8)}`;

const withAuthorization = (
  what: string,
  authorization: (id: string, signature: string) => string,
): Variant<TokenAttempt> => [`Authorization with ${what}`, () => ({ authorization })];

/** Checks of the area `token` (interface.md, "1. Request, refresh or exchange a token"). */
export const tokenChecks: readonly Check[] = [
  refusals({
    rule: 'token/json-body',
    baseRequest: 'platform',
    refusedAs: 'body-invalid',
    metered: 1,
    each: ANY_KIND,
    variants: ['application/x-www-form-urlencoded', 'application/json'].map((contentType) => [
      `the same fields form-encoded, their signature right, as ${contentType}`,
      (ctx) => {
        const fields = ctx.base();
        const body = new URLSearchParams(fields as Record<string, string>).toString();
        return { fields, body, contentType };
      },
    ]),
  }),
  withoutField('token/grant-type-required', 'grant_type', ANY_KIND),
  refusals({
    rule: 'token/grant-type-known',
    baseRequest: 'platform',
    refusedAs: 'grant-type-unknown',
    metered: 1,
    each: ANY_KIND,
    variants: ['password', 'client_credential', 'CLIENT_CREDENTIALS'].map((grant) => [
      `the grant_type ${grant}`,
      (ctx) => ({ fields: ctx.base({ grant_type: grant }) }),
    ]),
  }),
  ...timestampChecks,
  ...nostrChecks,
  ...credentialChecks,
  refusals({
    rule: 'token/partner-unknown',
    baseRequest: 'platform',
    refusedAs: 'partner-unknown',
    // Counts for nobody: the request names no partner of the target.
    each: {},
    variants: [
      ['an unknown partner id', (ctx) => ({ partnerId: unknownId(ctx) })],
      [
        'an unknown partner id, signed with the empty key',
        (ctx) => ({ partnerId: unknownId(ctx), signingKey: '' }),
      ],
    ],
  }),
  refusals({
    rule: 'token/authorization-required',
    baseRequest: 'platform',
    refusedAs: 'authorization-missing',
    each: {},
    variants: [['no Authorization', () => ({ authorization: null })]],
  }),
  refusals({
    rule: 'token/authorization-shape',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'authorization-shape',
    metered: 3,
    variants: [
      withAuthorization('the scheme Basic', (id, sign) => `Basic ${id}|${sign}`),
      withAuthorization(
        'no | between id and signature, but :',
        (id, sign) => `Bearer ${id}:${sign}`,
      ),
      withAuthorization('no | and no signature', (id) => `Bearer ${id}`),
      withAuthorization(
        'no | between id and signature, but a space',
        (id, sign) => `Bearer ${id} ${sign}`,
      ),
      withAuthorization('no scheme', (id, sign) => `${id}|${sign}`),
      withAuthorization('the scheme MAC', (id, sign) => `MAC ${id}|${sign}`),
    ],
  }),
  scopeEcho,
];
