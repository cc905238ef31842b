import type { RuleResult } from '../../documents/conformance.ts';
import type { AllowanceKind } from '../../interface/limits.ts';
import {
  chosenLedger,
  type Ledger,
  type MemoryLedger,
  memoryLedger,
  startsAnew,
} from '../../spending/index.ts';
import { type Budget, budgetsOf, spendsOfProfile } from './budget/budgets.ts';
import type { LeftOut } from './budget/left-out.ts';
import type { ServiceResult } from './build-result.ts';
import { checkService } from './check-service.ts';
import type { Target } from './contract/target.ts';
import type { CheckServiceOptions } from './options.ts';
import type { RunClock } from './run-clock.ts';

/** Outcome of a run on a target that follows every rule. */
export interface Forecast {
  /** Ids of the rules that are judged. */
  readonly judged: readonly string[];
  /** Rules that another day is needed for. */
  readonly pending: readonly OpenRule[];
  /** Rules that are tried without a result. */
  readonly inconclusive: readonly OpenRule[];
  /** Rules for which the profile, its allowances or the flags lack something. */
  readonly untestable: readonly OpenRule[];
  /** Partners of the profile whose requests count; none where each check has a fresh partner. */
  readonly partners: readonly PartnerForecast[];
  /** Parts left out of rules that are judged, for want of allowance. */
  readonly leftOut: readonly LeftOut[];
  /** True if the rehearsal was interrupted: the rest holds for a part of the run. */
  readonly interrupted: boolean;
}

/** Rule that is not judged. */
export interface OpenRule {
  readonly rule: string;
  readonly reason: string;
  /** Change that would have it judged; empty if none is known. */
  readonly remedy: string;
}

type PerAllowance = Readonly<Record<AllowanceKind | 'codes', number>>;

/** Share of a partner in a run. */
export interface PartnerForecast {
  readonly partner: string;
  /** Requests that it sends, by allowance, and auth codes. */
  readonly spends: PerAllowance;
  /** Requests and auth codes that it has left before. */
  readonly left: PerAllowance;
  /** State that the run leaves it in: banned, or an allowance used up for a day; null for neither. */
  readonly after: 'banned' | 'used-up' | null;
  /** Ids of the rules that its requests judge. */
  readonly rules: readonly string[];
}

/** Server that takes the place of a target. */
export interface StandIn {
  /** Has the partners, signed fields and shapes of the target. */
  readonly target: Target;
  readonly companion?: Target | undefined;
  /** Clock of the server and of the rehearsal; pauses and waits move it on. */
  readonly clock: RunClock;
}

/**
 * Forecasts a run by a rehearsal: a server that follows every rule is judged in place of the target, by
 * the same options, and from what the ledger has of the target. Nothing is sent to the target and nothing
 * is written. A target that breaks rules may be sent more requests, within the same allowances.
 *
 * @throws ConfigurationError `RULE_UNKNOWN` for a glob that matches nothing
 * @throws FareproofError as the ledger where the run spends by one
 */
export async function forecastService(
  options: CheckServiceOptions,
  standIn: StandIn,
): Promise<Forecast> {
  const isMetered = spendsOfProfile(options.target, options.suite);
  const ledger = isMetered ? await chosenLedger(options.ledger)?.open() : undefined;
  try {
    const { clock } = standIn;
    const former = startsAnew(options.target, options.serviceRestarted) ? undefined : ledger;
    const facts = { ...options, clock, ledger: former };
    const budgets = isMetered ? budgetsOf(options.target, facts) : [];
    return await rehearse(options, standIn, budgets, former);
  } finally {
    ledger?.close();
  }
}

async function rehearse(
  options: CheckServiceOptions,
  { target, companion, clock }: StandIn,
  budgets: readonly Budget[],
  former: Ledger | undefined,
): Promise<Forecast> {
  const ledger = memoryLedger(former, options.target.baseUrl);
  const result = await checkService({
    ...options,
    clock,
    target,
    companion,
    ledger: { open: async () => ledger },
    maxRate: null,
    onRule: undefined,
    onWait: undefined,
    journal: undefined,
    runLog: undefined,
  });
  const isPending = ({ pendingUntil }: RuleResult): boolean => pendingUntil !== undefined;
  const open = (verdict: RuleResult['verdict']): OpenRule[] =>
    result.rules.filter((rule) => rule.verdict === verdict && !isPending(rule)).map(describeOpen);
  return {
    judged: result.rules.filter(isJudged).map(({ id }) => id),
    pending: result.rules
      .filter(isPending)
      .map((rule) => ({ ...describeOpen(rule), remedy: LATER })),
    inconclusive: open('inconclusive'),
    untestable: open('untestable'),
    partners: budgets.map((budget) => shareOf(budget, result, ledger)),
    leftOut: result.leftOut ?? [],
    interrupted: result.interrupted ?? false,
  };
}

function isJudged({ verdict }: RuleResult): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'warn';
}

const LATER = 'resume the run on another day, or let it wait';

function describeOpen({ id, reason, remedy = '' }: RuleResult): OpenRule {
  return { rule: id, reason, remedy };
}

function shareOf(
  { partnerId, left, mayBan }: Budget,
  { rules, exchanges, spend }: ServiceResult,
  ledger: MemoryLedger,
): PartnerForecast {
  const own = new Set(exchanges.filter((one) => one.partnerId === partnerId).map(({ id }) => id));
  const spent = spend[partnerId] ?? { platform: 0, user: 0, refresh: 0 };
  const after = mayBan ? 'banned' : 'used-up';
  return {
    partner: partnerId,
    spends: { ...spent, codes: ledger.codesUsed(partnerId) },
    left,
    after: ledger.isTaken(partnerId) ? after : null,
    rules: rules
      .filter((rule) => isJudged(rule) && rule.exchanges.some((id) => own.has(id)))
      .map(({ id }) => id),
  };
}
