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
  count: 2,
  metered: 1,
  each: ANY_KIND,
  variants: (ctx) =>
    ['application/x-www-form-urlencoded', 'application/json'].map((contentType) => {
      const fields = ctx.base();
      const body = new URLSearchParams(fields as Record<string, string>).toString();
      return {
        wrong: `the same fields form-encoded, their signature right, as ${contentType}`,
        fields,
        body,
        contentType,
      };
    }),
});

const grantTypeKnown = refusals({
  rule: 'token/grant-type-known',
  baseRequest: 'platform',
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
  count: 2,
  // Nobody's allowance: the request names no partner of the target.
  each: {},
  variants: (ctx) => {
    const unknown = `${ctx.id}-${ctx.random.text(8)}`;
    return [
      { wrong: 'an unknown partner id', fields: ctx.base(), partnerId: unknown },
      {
        wrong: 'an unknown partner id, signed with the empty key',
        fields: ctx.base(),
        partnerId: unknown,
        signingKey: '',
      },
    ];
  },
});

const authorizationRequired = refusals({
  rule: 'token/authorization-required',
  baseRequest: 'platform',
  count: 1,
  each: {},
  variants: (ctx) => [{ wrong: 'no Authorization', fields: ctx.base(), authorization: null }],
});

const authorizationShape = refusals({
  rule: 'token/authorization-shape',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  count: 6,
  metered: 3,
  variants: (ctx) => {
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
      fields: ctx.base(),
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
