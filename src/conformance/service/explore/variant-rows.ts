import type { Check, CheckContext } from '../contract/check.ts';
import type { TokenAnswer } from '../contract/messages.ts';
import { type AnyAttempt, type Variant, variantsOf } from '../contract/templates.ts';
import { SERVICE_CHECKS } from '../rules/all.ts';
import type { Apply, Draft, On, Row, Surroundings } from './row.ts';

/** Requests that vary as those of a check do, by its base request. */
const ON: Readonly<Record<string, On>> = {
  platform: 'token',
  refresh: 'refresh',
  user: 'user',
  estimate: 'estimate',
  'user-estimate': 'user-estimate',
};

function rowOf(check: Check, variant: Variant<AnyAttempt>): Row {
  const [place] = check.places;
  const [words, , traits] = variant;
  return {
    name: `with ${words}`,
    on: ON[place.baseRequest] ?? 'token',
    is: 'wrong',
    rule: check.id,
    tolerates: traits?.tolerates,
    apply: applying(check, variant),
  };
}

const applying =
  ({ needs }: Check, [, vary]: Variant<AnyAttempt>): Apply =>
  async (draft, around) => {
    const { environment } = draft.session.client.facts;
    if (needs?.environment !== undefined && needs.environment !== environment) return false;
    const varied = await vary(contextOf(draft, around));
    if (!varied) return false;
    const { fields, query, accessToken = draft.accessToken, ...parts } = varied;
    const changed = fields ?? query ?? draft.fields;
    const isSame =
      Object.keys(parts).length === 0 &&
      accessToken === draft.accessToken &&
      JSON.stringify(changed) === JSON.stringify(draft.fields);
    draft.fields = { ...changed };
    draft.accessToken = accessToken;
    Object.assign(draft.parts, parts);
    return !isSame;
  };

/** A context for variants that need no more than their own request: its base request is the draft. */
function contextOf({ fields, session, accessToken }: Draft, around: Surroundings): CheckContext {
  const { partner, signer, client } = session;
  const base: CheckContext['base'] = (changes) =>
    Object.fromEntries(
      Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== undefined),
    );
  const own = (kind: 'accessToken' | 'refreshToken'): string | null =>
    around.credential(kind, 'own');
  const making: Partial<CheckContext> = {
    id: partner.id,
    signingKey: partner.signingKey,
    facts: client.facts,
    random: around.random,
    base,
    query: base as CheckContext['query'],
    exchange: (code, changes) => base({ auth_code: code, ...changes }),
    sign: (pairs) => signer.sign(pairs),
    signEstimate: (query) => signer.signEstimate(query),
    signedPairs: (pairs) => signer.signedPairs(pairs),
    accessToken,
    refreshToken: (fields['refresh_token'] as string | undefined) ?? own('refreshToken') ?? '',
    opening: {
      accessToken: own('accessToken'),
      refreshToken: own('refreshToken'),
    } as TokenAnswer,
    now: () => around.nowMs,
    timestamp: (secondsAgo = 0, form) =>
      client.stamp.textOf(around.nowMs - secondsAgo * 1000, form),
    otherPartner: async () =>
      (await around.other()).partner as Awaited<ReturnType<CheckContext['freshPartner']>>,
    authCode: () => around.code(session),
  };
  return making as CheckContext;
}

/** Ways in which the checks of refusals vary a request, as rows. */
export const VARIANT_ROWS: readonly Row[] = SERVICE_CHECKS.flatMap((check) => {
  const once = new Map(variantsOf(check).map((variant) => [variant[0], variant]));
  return [...once.values()]
    .filter(([, , traits]) => !traits?.needsMore && !traits?.isOpen)
    .map((variant) => rowOf(check, variant));
});
