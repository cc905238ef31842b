import { type Check, type CheckContext, partsOf } from '../../contract/check.ts';
import { judgeRefusals, type Negative, Untestable } from '../../contract/judge.ts';
import type { Fields, TokenAttempt } from '../../contract/messages.ts';
import { checkOf, partOf, refusals, type Variant } from '../../contract/templates.ts';
import { checksOfHistory, partOfHistory } from './history.ts';
import { EXTRA } from './witness.ts';

/** A request whose fields are not the signed ones; null if the profile does not name the field. */
type Alteration = (ctx: CheckContext) => { fields: Fields; signed: Fields } | null;

const isSigned = ({ facts }: CheckContext, field: string): boolean =>
  facts.tokenFields === 'all' || facts.tokenFields.includes(field);

/** Signs another value of a field than is sent; undefined leaves the field out. */
const altered =
  (field: string, valueAs: (ctx: CheckContext, sent: unknown) => unknown, changes: Fields = {}) =>
  (ctx: CheckContext): ReturnType<Alteration> => {
    if (!isSigned(ctx, field)) return null;
    const fields = ctx.base(changes);
    const value = valueAs(ctx, fields[field]);
    const { [field]: _sent, ...rest } = fields;
    return { fields, signed: value === undefined ? rest : { ...rest, [field]: value } };
  };

/** Signs some of the fields only. */
const only =
  (names: readonly string[], changes: Fields = {}): Alteration =>
  (ctx) => {
    const fields = ctx.base(changes);
    const left = Object.keys(fields).filter((name) => !names.includes(name));
    if (!left.some((name) => isSigned(ctx, name))) return null;
    const signed = Object.entries(fields).filter(([name]) => names.includes(name));
    return { fields, signed: Object.fromEntries(signed) };
  };

/** Signs the values as another function of what is sent. */
const rewritten =
  (rewrite: (text: string) => string, changes: Fields = {}): Alteration =>
  (ctx) => {
    if (!isSigned(ctx, 'nostr')) return null;
    const fields = ctx.base({ nostr: `aB3${ctx.random.nostr(3)}`, ...changes });
    const entries = Object.entries(fields).map(
      ([name, value]) => [name, rewrite(String(value))] as const,
    );
    return { fields, signed: Object.fromEntries(entries) };
  };

/** Alters a field that only some grants have. */
const alteredOf =
  (field: string): Alteration =>
  (ctx) =>
    ctx.base()[field] === undefined
      ? null
      : altered(field, (_ctx, sent) => `${String(sent)}x`)(ctx);

/** Adds a field that belongs to another grant. */
const addedToOther =
  (field: string): Alteration =>
  (ctx) =>
    ctx.base()[field] === undefined
      ? altered(field, () => undefined, { [field]: `none-${ctx.random.text(12)}` })(ctx)
      : null;

const GRANT_TYPES = ['client_credentials', 'refresh_token', 'authorization_code'];

const nostrAltered = altered('nostr', ({ random }) => random.nostr());
const timeAltered = altered('_', (ctx) => ctx.timestamp(7));
const scopeAltered = altered('scope', () => 'public profile', { scope: 'public' });
const grantTypeAltered = altered('grant_type', (_ctx, sent) =>
  GRANT_TYPES.find((one) => one !== sent),
);
const scopeAdded = altered('scope', () => undefined, { scope: 'public profile' });

/** Alterations with which a request must be refused, the most conclusive first. */
const ALTERATIONS: readonly (readonly [wrong: string, alter: Alteration])[] = [
  ['nostr altered after signing', nostrAltered],
  ['_ altered after signing', timeAltered],
  ['grant_type altered after signing', grantTypeAltered],
  ['scope altered after signing', scopeAltered],
  ['scope added after signing', scopeAdded],
  ['scope removed after signing', altered('scope', () => 'public profile')],
  ['refresh_token altered after signing', alteredOf('refresh_token')],
  ['auth_code altered after signing', alteredOf('auth_code')],
  ['a further field added after signing', altered(EXTRA, () => undefined, { [EXTRA]: 'sent' })],
  ['a further field altered after signing', altered(EXTRA, () => 'signed', { [EXTRA]: 'sent' })],
  ['a further field removed after signing', altered(EXTRA, () => 'signed')],
  ['a signature over nostr and _ only', only(['nostr', '_'])],
  [
    'a signature over grant_type, nostr and _ only',
    only(['grant_type', 'nostr', '_'], { scope: 'public' }),
  ],
  ['a signature over grant_type only', only(['grant_type'])],
  ['_ added after signing', altered('_', () => undefined)],
  ['nostr added after signing', altered('nostr', () => undefined)],
  ['grant_type added after signing', altered('grant_type', () => undefined)],
  ['a refresh_token added after signing', addedToOther('refresh_token')],
  ['an auth_code added after signing', addedToOther('auth_code')],
  ['a signature over the values in lower case', rewritten((text) => text.toLowerCase())],
  ['a signature over the values in upper case', rewritten((text) => text.toUpperCase())],
  [
    'a second scope added after signing',
    altered('scope', () => 'public', { scope: 'public profile' }),
  ],
  [
    'the case of the scope altered after signing',
    altered('scope', () => 'public', { scope: 'Public' }),
  ],
];

const onEach = refusals({
  rule: 'signature/covers-fields',
  baseRequest: 'platform',
  variants: ALTERATIONS.map(
    ([wrong, alter]): Variant<TokenAttempt> => [wrong, (ctx) => alter(ctx)],
  ),
});

/**
 * A refresh_token and an auth_code in place of another valid one that was signed: one that was never
 * issued may be refused for itself.
 */
const betweenValidOnes = partOf({
  rule: onEach.id,
  name: 'other-valid-ones',
  circumstance: 'with another valid refresh_token or auth_code',
  needs: {
    missing: ({ tokenFields }) =>
      ['refresh_token', 'auth_code'].every(
        (one) => tokenFields === 'all' || tokenFields.includes(one),
      )
        ? undefined
        : 'the profile leaves refresh_token or auth_code out of the signed fields',
  },
  run: async (ctx) => {
    const tokens = [
      await ctx.refreshable('a token to refresh'),
      await ctx.refreshable('another token to refresh'),
    ] as const;
    const [sent, signed] = tokens.map(({ refreshToken }) => refreshToken);
    const [code, signedCode] = [await ctx.authCode(), await ctx.authCode()];
    const send = async (wrong: string, fields: Fields, others: Fields): Promise<Negative> => {
      const purpose = `negative: ${wrong}`;
      const more = { purpose, fields, signed: { ...fields, ...others } };
      return { wrong, answer: await ctx.token({ ...more, expects: 'refused' }) };
    };
    const negatives = [
      await send(
        'a valid refresh_token in place of the valid one that was signed',
        ctx.refresh(sent ?? ''),
        { refresh_token: signed },
      ),
      await send(
        'a valid auth_code in place of the valid one that was signed',
        ctx.exchange(code),
        { auth_code: signedCode },
      ),
    ];
    const opening = await ctx.sendRefresh(signed ?? '', 'baseline: a refresh');
    const purpose = 'baseline: an exchange of an auth code';
    const fields = ctx.exchange(signedCode);
    const closing = await ctx.token({ purpose, fields, wellFormed: true });
    return judgeRefusals(negatives, { opening, closing });
  },
});

/** Requests to a metered target. */
const METERED: readonly (readonly [wrong: string, alter: Alteration])[] = [
  ['nostr altered after signing', nostrAltered],
  ['scope (added) altered after signing', scopeAdded],
];

const ofMetered = checkOf({
  rule: 'signature/covers-fields',
  baseRequest: 'platform',
  priority: { rank: 1 },
  spends: { platform: METERED.length, refresh: 1 },
  run: async (ctx) => {
    const negatives: Negative[] = [];
    const isBroken = (): boolean => negatives.at(-1)?.answer.outcome === 'accepted';
    const send = async (wrong: string, fields: Fields, signed: Fields): Promise<void> => {
      const answer = await ctx.token({
        expects: 'refused',
        purpose: `negative: ${wrong}`,
        fields,
        signed,
      });
      negatives.push({ wrong, answer });
    };
    for (const [wrong, alter] of METERED) {
      const one = alter(ctx);
      // One accepted is a violation; further requests would only cost.
      if (one && !isBroken()) await send(wrong, one.fields, one.signed);
    }
    const token = ctx.opening && 'refreshToken' in ctx.opening ? ctx.opening.refreshToken : null;
    if (token !== null && isSigned(ctx, 'refresh_token') && !isBroken()) {
      const fields = ctx.refresh(token);
      const signed = { ...fields, refresh_token: `${token}x` };
      await send('refresh_token altered after signing', fields, signed);
    }
    if (negatives.length === 0)
      throw new Untestable('the profile names no signed field that can be altered');
    return (baseline) => judgeRefusals(negatives, baseline);
  },
});

/** Requests that were altered after they were signed. */
export const coversFields: Check = {
  ...onEach,
  ...ofMetered,
  parts: (facts) => {
    const parts = partsOf(onEach, facts);
    return facts.metered
      ? [ofMetered, partOfHistory, ...parts.slice(1)]
      : [...parts, ...checksOfHistory, betweenValidOnes];
  },
};
