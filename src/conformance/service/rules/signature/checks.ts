import { explainSignature } from '../../../../interface/signature.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import type { Observation, Seen } from '../../contract/observation.ts';
import type { Fields } from '../../contract/request.ts';
import { judgeRefusals, type Probe, refusals } from '../../contract/templates.ts';
import { changeDigit } from '../spoilt-text.ts';
import { EXTRA } from './reading.ts';
import { stepChecks } from './steps.ts';

/** signature/valid-accepted: any well-formed request that succeeds shows it. */
const validAccepted: Observation = {
  rule: 'signature/valid-accepted',
  from: ['platform'],
  overall: true,
  judge: (seen) => {
    const platform = seen.requests.filter(
      ({ fields }) => fields['grant_type'] === 'client_credentials',
    );
    const refusedFresh = platform.find(
      ({ answer, firstOfFresh }) => firstOfFresh && answer.outcome === 'refused',
    );
    const accepted = platform.filter(({ answer }) => answer.outcome === 'accepted');
    if (accepted.length > 0 && !refusedFresh) {
      return pass(
        'correctly signed requests succeeded',
        accepted.slice(0, 3).map(({ answer }) => answer.exchange),
      );
    }
    const byUser = grantAccepted(seen, 'authorization_code');
    if (accepted.length === 0 && byUser) {
      return pass('a correctly signed exchange of an auth code succeeded', [
        byUser.answer.exchange,
      ]);
    }
    const refused = refusedFresh ?? platform.find(({ answer }) => answer.outcome === 'refused');
    if (!refused) return inconclusive('no well-formed token request was answered');
    return violated(
      'status 200 for a correctly signed token request',
      `${accepted.length > 0 ? 'some correctly signed requests were' : 'every correctly signed request was'} refused (${describeAnswer(refused.answer)})${refusedFresh ? '' : '; if the signing key in the profile is wrong, or the partner is banned, mend that first'}`,
      refused.answer.exchange,
      [refused.answer.exchange],
    );
  },
};

/** A successful request of that grant, if one was seen. */
function grantAccepted(seen: Seen, grant: string): Seen['tokens'][number] | undefined {
  return seen.tokens.find(({ fields }) => fields['grant_type'] === grant);
}

const invalidRefused = refusals({
  rule: 'signature/invalid-refused',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  priority: 1,
  count: 6,
  metered: 3,
  variants: (ctx) => {
    const wrong: readonly [string, (right: string, fields: Fields) => string][] = [
      ['the right signature with its last digit changed', (right) => changeDigit(right, 31)],
      ['the right signature with its first digit changed', (right) => changeDigit(right, 0)],
      ['32 random hex digits for a signature', () => ctx.random.hex(32)],
      ['a signature of zeros', () => '0'.repeat(32)],
      ['the right signature with a digit in the middle changed', (right) => changeDigit(right, 16)],
      [
        'MD5(S), without the signing key, for a signature',
        (_right, fields) => explainSignature(ctx.signedPairs(fields), '').innerMd5,
      ],
    ];
    return wrong.map(([what, spoil]) => {
      const fields = ctx.base();
      return { wrong: what, fields, signature: spoil(ctx.sign(fields), fields) };
    });
  },
});

const wrongKeyRefused = refusals({
  rule: 'signature/wrong-key-refused',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  priority: 1,
  count: 4,
  metered: 2,
  variants: async (ctx) => {
    const other = await ctx.otherPartner();
    const keys = [
      ...(other ? [["another partner's key", other.signingKey]] : []),
      ['the empty key', ''],
      ['a random key', ctx.random.text(32)],
      ['the partner id for a key', ctx.id],
    ] as const;
    return keys
      .filter(([, signingKey]) => signingKey !== ctx.signingKey)
      .map(([what, signingKey]) => ({
        wrong: `a signature made with ${what}`,
        fields: ctx.base(),
        signingKey: signingKey ?? '',
      }));
  },
});

/** Each signed field on its own: a well-formed request, signed as if that field had been another. */
const coversFields: Check = {
  id: 'signature/covers-fields',
  rules: ['signature/covers-fields'],
  baseRequest: 'platform',
  priority: 1,
  spends: (facts) =>
    facts.metered ? { platform: 5, refresh: 1 } : { platform: 6, refresh: 2, user: 2, codes: 1 },
  run: async (ctx) => {
    const signs = (name: string): boolean =>
      ctx.facts.tokenFields === 'all' || ctx.facts.tokenFields.includes(name);
    const probes: Probe[] = [];
    const probe = async (name: string, fields: Fields, signed: Fields): Promise<boolean> => {
      const answer = await ctx.token({
        purpose: `negative: ${name} altered after signing`,
        fields,
        signed,
      });
      probes.push({ wrong: `${name} altered after signing`, answer });
      return answer.outcome !== 'accepted';
    };
    const alter = async (name: string, fields: Fields, before: unknown): Promise<boolean> =>
      !signs(name) || probe(name, fields, { ...fields, [name]: before });

    const plain = (): Fields => ctx.platform();
    const scoped = ctx.platform({ scope: 'public' });
    const widened = ctx.platform({ scope: 'public profile' });
    const goesOn =
      (await alter('nostr', plain(), ctx.random.nostr())) &&
      (await alter('_', plain(), ctx.timestamp(7))) &&
      (await alter('scope', scoped, 'public profile')) &&
      (await alter('grant_type', plain(), 'refresh_token')) &&
      (!signs('scope') ||
        (await probe('scope (added)', widened, ctx.platform(pick(widened, '_', 'nostr')))));
    if (goesOn && !ctx.facts.metered && ctx.facts.tokenFields === 'all') {
      const extra = ctx.platform({ [EXTRA]: 'sent' });
      await alter(EXTRA, extra, 'signed');
    }
    const untaken = goesOn ? await alterCredentials(ctx, alter) : null;
    if (probes.length === 0)
      return untestable('the profile names no signed field that can be altered');
    return (controls) => untaken ?? judgeRefusals(probes, controls);
  },
};

function pick(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/**
 * refresh_token and auth_code, each followed by the same request unaltered: only where that succeeds
 * was the alteration what refused it. Returns a judgement where a control fails.
 */
async function alterCredentials(
  ctx: CheckContext,
  alter: (name: string, fields: Fields, before: unknown) => Promise<boolean>,
): Promise<Judgement | null> {
  const opening = ctx.opening && 'refreshToken' in ctx.opening ? ctx.opening.refreshToken : null;
  if (opening !== null) {
    const whole = await alter('refresh_token', ctx.refresh(opening), `${opening}x`);
    if (!whole) return null;
    if (!ctx.facts.metered) {
      const doubt = doubtAfter(
        await ctx.token({
          purpose: 'baseline: the same refresh, signed as sent',
          fields: ctx.refresh(opening),
          wellFormed: true,
        }),
      );
      if (doubt) return doubt;
    }
  }
  if (ctx.facts.metered || !ctx.facts.hasControl) return null;
  const code = await ctx.authCode();
  if (!(await alter('auth_code', ctx.exchange(code), `${code}x`))) return null;
  return doubtAfter(
    await ctx.token({
      purpose: 'baseline: the same exchange, signed as sent',
      fields: ctx.exchange(code),
      wellFormed: true,
    }),
  );
}

function doubtAfter(answer: TokenAnswer): Judgement | null {
  if (answer.outcome === 'accepted') return null;
  return inconclusive(
    `the same request, signed as sent, was not accepted either (${describeAnswer(answer)})`,
  );
}

/** Checks of the area `signature` (interface.md, "Signature algorithm"). */
export const signatureChecks: readonly Check[] = [
  invalidRefused,
  wrongKeyRefused,
  coversFields,
  ...stepChecks,
];

/** Rules of the area that are judged over what was seen. */
export const signatureObservations: readonly Observation[] = [validAccepted];
