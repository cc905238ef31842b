import { startsAnew } from '../../spending/index.ts';
import { type Budget, countedIn, spendsOfProfile } from './budget/budgets.ts';
import { dailyLimit, type SpendCounter } from './budget/spend-counter.ts';
import type { Target } from './contract/target.ts';
import type { SpendingOptions } from './options.ts';
import { persistentHooks, restartHooks, type SessionHooks } from './wire/session-hooks.ts';

/**
 * Hooks of a target's sessions: they record what a partner of the profile spends, and stop a request
 * beyond an allowance.
 *
 * @param budgets null where requests are free
 * @param refusedAreFree whether a refused request counts against no allowance, as far as is known
 */
export function spendHooks(
  { ledger, journal, clock, suite, serviceRestarted }: SpendingOptions,
  target: Target,
  budgets: readonly Budget[] | null,
  spend: SpendCounter,
  refusedAreFree: () => boolean,
): SessionHooks {
  const { baseUrl } = target;
  const isRecorded = spendsOfProfile(target, suite);
  const wall = (): number => clock.now();
  const recorded = isRecorded ? persistentHooks(baseUrl, ledger, journal, wall) : {};
  const ofRestart =
    ledger && startsAnew(target, serviceRestarted) ? restartHooks(baseUrl, ledger, wall) : {};
  const persistent: SessionHooks = {
    ...recorded,
    ...ofRestart,
    codeSent: (partner, code) => {
      ofRestart.codeSent?.(partner, code);
      recorded.codeSent?.(partner, code);
    },
  };
  if (!budgets) return persistent;
  const ledgerSpend =
    ledger &&
    ((partner: string) => countedIn(ledger, baseUrl, partner, clock.now(), refusedAreFree()));
  const requireWithinLimit = dailyLimit(budgets, spend, ledgerSpend);
  return {
    ...persistent,
    beforeSpend: (partner, kinds) => {
      requireWithinLimit(partner, kinds);
      persistent.beforeSpend?.(partner, kinds);
    },
  };
}
