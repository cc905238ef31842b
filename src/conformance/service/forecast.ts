import type { RuleResult } from '../../documents/conformance.ts';
import type { ForecastDocument } from '../../documents/forecast.ts';
import {
  chosenLedger,
  type Ledger,
  type MemoryLedger,
  memoryLedger,
  startsAnew,
} from '../../spending/index.ts';
import { type Budget, budgetsOf, spendsOfProfile } from './budget/budgets.ts';
import type { ServiceResult } from './build-result.ts';
import { checkService } from './check-service.ts';
import type { Target } from './contract/target.ts';
import type { CheckServiceOptions } from './options.ts';
import type { RunClock } from './run-clock.ts';

/** Outcome of a run on a target that follows every rule. */
export type Forecast = Omit<ForecastDocument, 'tool' | 'target' | 'suite'>;

type OpenRule = Forecast['untestable'][number];
type PartnerForecast = Forecast['partners'][number];

/** Server that takes the place of a target. */
export interface StandIn {
  /** Has the partners, signed fields and shapes of the target. */
  readonly target: Target;
  readonly companion?: Target | undefined;
  /** Clock of the server and of the rehearsal; pauses and waits move it on. */
  readonly clock: RunClock;
  /** Way to the server; left out, sockets. */
  readonly openTransport?: CheckServiceOptions['openTransport'];
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
  { target, companion, clock, openTransport }: StandIn,
  budgets: readonly Budget[],
  former: Ledger | undefined,
): Promise<Forecast> {
  const ledger = memoryLedger(former, options.target.baseUrl);
  const result = await checkService({
    ...options,
    clock,
    openTransport,
    target,
    companion,
    ledger: { open: async () => ledger },
    // Walks spend nothing but the tokens that they begin with.
    exploreSeconds: options.exploreSeconds && 0,
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
