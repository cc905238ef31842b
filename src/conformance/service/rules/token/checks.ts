import type { Check } from '../../contract/check.ts';
import { refusals } from '../../contract/templates.ts';
import { credentialChecks } from './credentials.ts';
import { nostrChecks } from './nostr.ts';
import { scopeEcho } from './scope.ts';
import { timestampChecks } from './timestamp.ts';
import { ANY_KIND, withoutField } from './without-field.ts';

const jsonBody = refusals({
  rule: 'token/json-body',
  baseRequest: 'platform',
  refusedAs: 'body-invalid',
  count: 2,
  metered: 1,
  each: ANY_KIND,
  variants: (ctx) =>
    ['application/x-www-form-urlencoded', 'application/json'].map((contentType) => {
      const fields = ctx.base();
      const wrong = `the same fields form-encoded, their signature right, as ${contentType}`;
      const body = new URLSearchParams(fields as Record<string, string>).toString();
      return { wrong, fields, body, contentType };
    }),
});

const grantTypeKnown = refusals({
  rule: 'token/grant-type-known',
  baseRequest: 'platform',
  refusedAs: 'grant-type-unknown',
  count: 3,
  metered: 1,
  each: ANY_KIND,
  variants: (ctx) =>
    ['password', 'client_credential', 'CLIENT_CREDENTIALS'].map((grant) => ({
      wrong: `the grant_type ${grant}`,
      fields: ctx.base({ grant_type: grant }),
    })),
});

const partnerUnknown = refusals({
  rule: 'token/partner-unknown',
  baseRequest: 'platform',
  refusedAs: 'partner-unknown',
  count: 2,
  // Nobody's allowance: the request names no partner of the target.
  each: {},
  variants: (ctx) => {
    const partnerId = `${ctx.id}-${ctx.random.text(8)}`;
    return [
      { wrong: 'an unknown partner id', partnerId },
      { wrong: 'an unknown partner id, signed with the empty key', partnerId, signingKey: '' },
    ];
  },
});

const authorizationRequired = refusals({
  rule: 'token/authorization-required',
  baseRequest: 'platform',
  refusedAs: 'authorization-missing',
  count: 1,
  each: {},
  variants: () => [{ wrong: 'no Authorization', authorization: null }],
});

const authorizationShape = refusals({
  rule: 'token/authorization-shape',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'authorization-shape',
  count: 6,
  metered: 3,
  variants: () => {
    const shapes: readonly [string, (id: string, signature: string) => string][] = [
      ['the scheme Basic', (id, signature) => `Basic ${id}|${signature}`],
      ['no | between id and signature, but :', (id, signature) => `Bearer ${id}:${signature}`],
      ['no | and no signature', (id) => `Bearer ${id}`],
      [
        'no | between id and signature, but a space',
        (id, signature) => `Bearer ${id} ${signature}`,
      ],
      ['no scheme', (id, signature) => `${id}|${signature}`],
      ['the scheme MAC', (id, signature) => `MAC ${id}|${signature}`],
    ];
    return shapes.map(([what, authorization]) => ({
      wrong: `Authorization with ${what}`,
      authorization,
    }));
  },
});

/** Checks of the area `token` (interface.md, "1. Request, refresh or exchange a token"). */
export const tokenChecks: readonly Check[] = [
  jsonBody,
  withoutField('token/grant-type-required', 'grant_type', ANY_KIND),
  grantTypeKnown,
  ...timestampChecks,
  ...nostrChecks,
  ...credentialChecks,
  partnerUnknown,
  authorizationRequired,
  authorizationShape,
  scopeEcho,
];

export { tokenObservations } from './response.ts';
