import type { Spend } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import type { ReplayDocument } from '../../../documents/replay.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_KINDS } from '../../../interface/limits.ts';
import { NOT_RESTARTED } from '../../../spending/index.ts';
import { pass } from '../../verdict.ts';
import type { ServiceResult } from '../build-result.ts';
import { checkService } from '../check-service.ts';
import { Undecided } from '../contract/judge.ts';
import type { Target, TargetPartner } from '../contract/target.ts';
import type { CheckServiceOptions } from '../options.ts';
import { findingOf, rerunsOf, type Said, saidBy } from './finding.ts';
import { bringsPlain, FormerRun, type StoredExchanges } from './former-run.ts';
import { obstacleTo } from './obstacle.ts';
import { notRepeatable, type Plan, type Sent, sendAgain } from './send-again.ts';
import { formerPartners, priceOf, standInsFor } from './stand-ins.ts';

/** Options of sending an exchange again. */
export interface ReplayOptions
  extends Pick<
    CheckServiceOptions,
    'target' | 'ledger' | 'serviceRestarted' | 'clock' | 'timeoutMs' | 'seed' | 'signal'
  > {
  /** Run that it is from. */
  readonly run: StoredExchanges;
  readonly exchange: Exchange;
}

/** An exchange that was sent again, as its document has it. */
export type Replayed = Omit<ReplayDocument, 'schemaVersion' | 'tool' | 'kind' | 'run' | 'exit'>;

/** Reason why an exchange of a run cannot be sent again; null if it can, with a fitting profile. */
export function replayObstacle(
  { id }: Pick<Exchange, 'id'>,
  stored: StoredExchanges,
  movesClock?: boolean,
): string | null {
  const run = new FormerRun(stored);
  return obstacleTo(run.find(id), run, movesClock);
}

/** Id of the check, and of the rule, that a replay runs. */
const ID = 'replay/exchange';

/**
 * Sends a stored exchange again, with a fresh signature and timestamp: a run of one check, whose requests are those that bring
 * its tokens, and its own. Without a control API it counts against a partner's allowances: nothing is sent where
 * one would be exceeded.
 *
 * @throws FareproofError `EXCHANGE_NOT_REPEATABLE`, `ALLOWANCE_USED_UP`, `TOKEN_NOT_OBTAINED`, `INTERRUPTED`, and
 *   as {@link checkService}
 * @throws ConfigurationError `PARTNER_MISSING` for a profile without a partner that can send it, `HEADER_MISSING`,
 *   `TOKEN_MISSING`
 */
export async function replayExchange(options: ReplayOptions): Promise<Replayed> {
  const { run: stored, exchange: asked, target, ...others } = options;
  const run = new FormerRun(stored);
  const exchange = run.find(asked.id);
  const obstacle = obstacleTo(exchange, run, target.control !== undefined);
  if (obstacle !== null) throw notRepeatable(exchange, obstacle, run);
  requireHeaders(exchange, target);
  const { plan, partners } = planOf(exchange, run, target);
  let sent: Sent | undefined;
  let said: Said = { kept: [], open: [] };
  let failure: unknown;
  const result = await checkService({
    ...others,
    target: { ...target, partners },
    only: [ID],
    allowBan: false,
    requireComplete: false,
    customRules: [
      {
        id: ID,
        level: 'must',
        statement: 'An exchange is sent again.',
        check: {
          baseRequest: 'standalone',
          spends: priceOf(exchange, plan.bringers),
          // Nothing is sent beside it, to see what its refusal is due to.
          effect: 'counts',
          run: async (ctx) => {
            try {
              sent = await sendAgain(ctx, plan);
              said = saidBy(exchange, sent.answer, run);
              // Reasons are redacted with the result.
              return pass(said.broken?.reason ?? 'it was sent');
            } catch (error) {
              failure = error;
              throw error;
            }
          },
        },
      },
    ],
  });
  const isUsedUp = result.sites.some(({ usedUp = [] }) => usedUp.length > 0);
  if (failure !== undefined) throw failureOf(failure, isUsedUp);
  const now = result.exchanges.find(({ id }) => id === sent?.answer.exchange);
  if (!sent || !now) throw notSent(result);
  const why = result.rules.find(({ id }) => id === ID)?.reason ?? '';
  const outcome = findingOf(now, said, why);
  const isUnexpected = outcome.verdict !== 'as-expected' && outcome.verdict !== 'answered';
  if (isUsedUp && isUnexpected && now.response?.status !== 200) throw provesNothing();
  const { baseUrl = '' } = run.targetOf(exchange) ?? {};
  const moved = baseUrl === target.baseUrl ? [] : [`address ${baseUrl} → ${target.baseUrl}`];
  const { target: of, startedAt, finishedAt } = result;
  return {
    target: of,
    startedAt,
    finishedAt,
    ...(now.error?.code === 'INTERRUPTED' ? { interrupted: true } : {}),
    ...outcome,
    rerun: rerunsOf(exchange, run),
    now,
    former: exchange,
    before: result.exchanges.filter((one) => one !== now && one.partnerId !== null),
    renewed: [...moved, ...sent.renewed, ...result.notes],
    kept: [...sent.kept, 'all else'],
    spend: target.control ? null : sumOf(Object.values(result.spend)),
  };
}

/** Plan of a replay, and the partners of the profile that take part in it: none where it has fresh ones. */
function planOf(
  exchange: Exchange,
  run: FormerRun,
  target: Target,
): { readonly plan: Plan; readonly partners: readonly TargetPartner[] } {
  const { partnerId: own } = exchange;
  const isMetered = target.control === undefined;
  const first = isMetered ? standInsFor([own], target.partners).get(own ?? '') : undefined;
  const bringers = run.bringersOf(
    exchange,
    // A token of the profile takes the place of an ordinary one.
    ({ is }, origin) =>
      is === 'access_token' &&
      first?.accessToken !== undefined &&
      origin.partnerId === own &&
      bringsPlain(origin),
  );
  // Where another partner has no allowance left, its own one has spent none yet.
  const othersFirst = bringers.toSorted(
    (one, other) => Number(one.partnerId === own) - Number(other.partnerId === own),
  );
  const formerIds = formerPartners(exchange, bringers);
  const partners = isMetered ? [...standInsFor(formerIds, target.partners).values()] : [];
  return { plan: { exchange, bringers: othersFirst, formerIds, run, partners }, partners };
}

/** @throws ConfigurationError for headers of the former profile that this one lacks */
function requireHeaders({ request }: Exchange, { headers }: Target): void {
  const known = new Set([
    'content-type',
    'authorization',
    ...Object.keys(headers).map((name) => name.toLowerCase()),
  ]);
  const missing = Object.keys(request.headers).find((name) => !known.has(name.toLowerCase()));
  if (missing === undefined) return;
  throw new ConfigurationError(
    'HEADER_MISSING',
    `It was sent with the header ${missing} of a profile; add it to "headers" of this one.`,
  );
}

/** Token requests of all partners. */
function sumOf(spends: readonly Spend[]): Spend {
  const total = { platform: 0, user: 0, refresh: 0 };
  for (const one of spends) for (const kind of ALLOWANCE_KINDS) total[kind] += one[kind];
  return total;
}

function failureOf(failure: unknown, isUsedUp: boolean): unknown {
  const { code } = failure as FareproofError;
  if (isUsedUp && code === 'TOKEN_NOT_OBTAINED') return provesNothing();
  if (failure instanceof Undecided)
    return new FareproofError('TOKEN_NOT_OBTAINED', failure.message);
  return code === 'ALLOWANCE_GUARD'
    ? allowanceUsedUp((failure as FareproofError).message)
    : failure;
}

/** Error for an exchange that no partner may send today, or that was not sent before an interruption. */
function notSent({ rules, interrupted }: ServiceResult): FareproofError {
  if (interrupted) return new FareproofError('INTERRUPTED', 'the run was interrupted');
  const { reason = '', remedy } = rules.find(({ id }) => id === ID) ?? {};
  return allowanceUsedUp(
    `Nothing was sent: ${reason}.${remedy === undefined ? '' : ` What helps: ${remedy}.`}`,
  );
}

const provesNothing = (): FareproofError =>
  allowanceUsedUp(`What the target refused proves nothing: ${NOT_RESTARTED}.`);

function allowanceUsedUp(message: string): FareproofError {
  return new FareproofError('ALLOWANCE_USED_UP', message);
}
