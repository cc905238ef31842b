import type { Spend } from '../../../documents/conformance.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import type { Ledger } from '../../../spending/index.ts';
import type { Suite } from '../../suite.ts';
import type { Target, TargetPartner } from '../contract/target.ts';
import type { RunClock } from '../run-clock.ts';

/** Requests of a partner that count today, as a ledger has them; those that were refused may be free. */
export function countedIn(
  ledger: Ledger,
  baseUrl: string,
  partnerId: string,
  nowMs: number,
  refusedAreFree: boolean,
): Spend {
  const sent = ledger.spentOf(baseUrl, partnerId, nowMs);
  if (!refusedAreFree) return sent;
  const refused = ledger.refusedOf(baseUrl, partnerId, nowMs);
  const of = (kind: AllowanceKind): number => Math.max(0, sent[kind] - refused[kind]);
  return { platform: of('platform'), user: of('user'), refresh: of('refresh') };
}

/** Budget of a metered partner. */
export interface Budget {
  readonly partnerId: string;
  /** Token requests left by allowance, and unused auth codes. */
  readonly left: Readonly<Record<AllowanceKind | 'codes', number>>;
  /** Auth codes of the profile that no run has sent. */
  readonly unusedCodes: readonly string[];
  /** True if the profile has an access token of the partner. */
  readonly hasAccessToken: boolean;
  /** Batches whose base request the partner was accepted with in this run, by name; left out, none. */
  readonly accepted?: ReadonlySet<string> | undefined;
  /** True if it is reserved for checks that end in a ban; one such check takes it whole. */
  readonly mayBan: boolean;
  /** Platform requests reserved for the witness, which is asked before and after another's ban. */
  readonly kept: number;
}

/** Data that budgets depend on, besides the target. */
export interface BudgetOptions {
  readonly ledger?: Ledger | undefined;
  readonly allowBan: boolean;
  readonly clock: Pick<RunClock, 'now'>;
}

/**
 * Requests reserved for the witness. Where bans are allowed: one before a ban, one right after it, one
 * within it, one when it is over, and one on the day after.
 */
const WITNESS_REQUESTS = { bans: 5, none: 1 } as const;

/** True if a run can spend allowances of the profile's partners, which a ledger must record. */
export function spendsOfProfile(
  { control, partners }: Pick<Target, 'control' | 'partners'>,
  { tokenRequests }: Pick<Suite, 'tokenRequests'>,
): boolean {
  if (!control) return true;
  return tokenRequests !== undefined && bringsToken(partners);
}

const bringsToken = (partners: readonly TargetPartner[]): boolean =>
  partners.some(({ accessToken }) => accessToken !== undefined);

/**
 * Budgets of a metered target's partners. Under a cap, on a target with a control API, one fresh
 * partner takes the place of the profile's, unless one of these brings a token.
 */
export function budgetsOf(target: Target, options: BudgetOptions): Budget[] {
  if (target.control && !bringsToken(target.partners)) return [FRESH];
  const { allowBan, ledger, clock } = options;
  const free = target.partners.filter(
    ({ id }) => (ledger?.bannedUntilMs(target.baseUrl, id, clock.now()) ?? 0) <= clock.now(),
  );
  const bans = allowBan && free.some(({ use }) => use === 'spendable');
  const witness = free.length > 1 ? witnessOf(free) : undefined;
  return free.map((partner) => ({
    ...leftOf(partner, target, options),
    partnerId: partner.id,
    hasAccessToken: partner.accessToken !== undefined,
    mayBan: bans && partner.use === 'spendable',
    kept: partner.id === witness?.id ? WITNESS_REQUESTS[bans ? 'bans' : 'none'] : 0,
  }));
}

const FRESH: Budget = {
  partnerId: 'fresh',
  left: { ...ALLOWANCE_PER_DAY, codes: ALLOWANCE_PER_DAY.user },
  unusedCodes: [],
  hasAccessToken: false,
  mayBan: false,
  kept: 0,
};

function witnessOf(partners: readonly TargetPartner[]): TargetPartner | undefined {
  return (
    partners.find(({ use }) => use === 'witness') ?? partners.find(({ use }) => use !== 'spendable')
  );
}

function leftOf(
  { id, authCodes }: TargetPartner,
  target: Target,
  { ledger, clock }: BudgetOptions,
): Pick<Budget, 'left' | 'unusedCodes'> {
  const { baseUrl, refusedRequestsCount } = target;
  const none = { platform: 0, user: 0, refresh: 0 };
  const spent = ledger
    ? countedIn(ledger, baseUrl, id, clock.now(), refusedRequestsCount === false)
    : none;
  const unused = authCodes.filter((code) => !ledger?.isCodeUsed(baseUrl, id, code));
  // A code that was sent before a restart is good again only if there was one.
  const wasSent = (code: string): number =>
    Number(ledger?.isCodeUsed(baseUrl, id, code, 'ever') ?? false);
  const unusedCodes = unused.sort((one, other) => wasSent(one) - wasSent(other));
  const left = (kind: AllowanceKind): number => Math.max(0, ALLOWANCE_PER_DAY[kind] - spent[kind]);
  const requests = { platform: left('platform'), user: left('user'), refresh: left('refresh') };
  return { left: { ...requests, codes: unusedCodes.length }, unusedCodes };
}
