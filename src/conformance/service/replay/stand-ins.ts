import type { Exchange } from '../../../documents/exchange.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import { allowancesOf } from '../budget/spend-counter.ts';
import type { Price } from '../contract/check.ts';
import type { TargetPartner } from '../contract/target.ts';
import { anewOf } from './former-run.ts';
import { tokenBody } from './made-again.ts';

/** Former partners of an exchange and of what brings its tokens, its own first. */
export function formerPartners(exchange: Exchange, bringers: readonly Exchange[]): string[] {
  const { partnerId: own, otherPartner } = exchange;
  const needed = [...bringers, exchange].flatMap((one) => [
    one.partnerId,
    ...anewOf(one).map(({ of }) => of),
  ]);
  const all = [own, ...needed, otherPartner].map((id) => id ?? own ?? '');
  return [...new Set(all)];
}

/**
 * Chooses the partners of a profile that take the places of former ones: the same one, or another one. The first
 * must be a general one, a second need not.
 *
 * @throws ConfigurationError `PARTNER_MISSING`
 */
export function standInsFor(
  formerIds: readonly (string | null)[],
  partners: readonly TargetPartner[],
): ReadonlyMap<string, TargetPartner> {
  const chosen = new Map<string, TargetPartner>();
  for (const former of new Set(formerIds)) {
    const taken = [...chosen.values()];
    const free = partners.filter((one) => !taken.includes(one));
    const partner =
      free.find(({ id }) => id === former) ??
      free.find(({ use }) => use === 'general') ??
      (taken.length === 0 ? undefined : free.find(({ use }) => use !== 'spendable'));
    if (!partner) throw noPartner(former ?? '');
    chosen.set(former ?? '', partner);
  }
  return chosen;
}

/** Most that a replay spends on the partner that sends the exchange. */
export function priceOf(exchange: Exchange, bringers: readonly Exchange[]): Price {
  const { partnerId: own } = exchange;
  const all = [...bringers, exchange];
  const charged = all.filter(({ partnerId }) => partnerId === own).flatMap(kindsOf);
  const codes = all.flatMap(anewOf).filter(({ is, of }) => is === 'auth_code' && of === own);
  const of = (kind: AllowanceKind): number => charged.filter((one) => one === kind).length;
  const spent = { platform: of('platform'), user: of('user'), refresh: of('refresh') };
  return { ...spent, codes: codes.length };
}

/** Allowances that a request counts against: none in the name of nobody, or of another partner. */
function kindsOf({ partnerId, request }: Exchange): ReturnType<typeof allowancesOf> {
  const { authorization = '' } = request.headers;
  const isCharged = request.body !== null && authorization.includes(partnerId ?? '');
  return isCharged ? allowancesOf(tokenBody(request.body ?? '')) : [];
}

/** Error for a profile without a partner that can take the place of a former one. */
export function noPartner(partnerId: string): ConfigurationError {
  return new ConfigurationError(
    'PARTNER_MISSING',
    `The profile has neither the partner ${partnerId} of the run, nor another one that may take its place (use: general), nor a control API.`,
  );
}
