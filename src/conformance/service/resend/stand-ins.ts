import type { Exchange } from '../../../documents/exchange.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import type { Budget } from '../budget/budgets.ts';
import { allowancesOf } from '../budget/spend-counter.ts';
import type { TargetPartner } from '../contract/target.ts';
import { anewOf } from './former-run.ts';
import { tokenBody } from './remake.ts';

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

/** Says why requests are beyond what a partner may spend; null if they are not. */
export function spentWhy(
  { partnerId, left }: Budget,
  former: string,
  requests: readonly Exchange[],
): { readonly words: string; readonly isForGood: boolean } | null {
  const charged = requests.filter((one) => one.partnerId === former).flatMap(kindsOf);
  for (const kind of ALLOWANCE_KINDS) {
    const needed = charged.filter((one) => one === kind).length;
    if (needed <= left[kind]) continue;
    const words = `partner ${partnerId} has ${Math.max(0, left[kind])} of ${ALLOWANCE_PER_DAY[kind]} ${kind} requests left for today, and this needs ${needed}`;
    return { words, isForGood: false };
  }
  const codes = requests
    .flatMap(anewOf)
    .filter(({ is, of }) => is === 'auth_code' && of === former);
  if (codes.length <= left.codes) return null;
  const words = `partner ${partnerId} has no unused auth code left in the profile`;
  return { words, isForGood: true };
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
