import { inconclusive, type Judgement } from '../../verdict.ts';
import type { Budget } from '../budget/budgets.ts';
import type { PlannedBatch } from '../budget/planner.ts';
import { type BaseRequest, type Check, isFurther } from '../contract/check.ts';
import { doubtsOf } from '../judge/alibis.ts';
import { needsRepetition } from '../judge/attempts.ts';
import { type JudgedRule, judgeAlike, type OnJudged } from '../judge/judged-rule.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import type { Session } from '../wire/session.ts';
import { nothingMoreSent, runBatch } from './batch.ts';
import { senderOf } from './check-run.ts';
import { comesLast, isRisky } from './last-batches.ts';
import { runContext } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { TargetRun } from './target-run.ts';

/** Order of the base requests: see the planner. Further parts compare with a platform token. */
const PHASES: readonly (readonly (BaseRequest | 'further-user-estimate')[])[] = [
  ['user', 'user-estimate'],
  ['platform'],
  ['estimate', 'further-user-estimate'],
  ['refresh', 'standalone'],
];

/** Checks to plan again. */
export interface Unfinished {
  /** Checks to repeat, since what they found is not settled. */
  readonly again: readonly Check[];
  /** Checks that were not run, since a well-formed request of their partner was refused, with their findings so far. */
  readonly skipped: ReadonlyMap<Check, readonly JudgedRule[]>;
}

/** Runs batches of the partners of a metered target, one at a time; what is repeated is kept until its last attempt. */
export class MeteredBatches {
  readonly #run: TargetRun;
  readonly #budgets: readonly Budget[];
  readonly #pool: PartnerPool;
  readonly #sessions = new Map<string, Session>();
  /** Findings of attempts that are repeated, by check. */
  readonly #kept = new Map<string, readonly JudgedRule[]>();
  /** Numbers of the attempts of repeated checks, by id. */
  readonly #attempts = new Map<string, number>();
  /** True from the first refusal of a partner, which may be for the target's rate, by the minute too. */
  #hasRested = false;
  #needsRest = false;

  constructor(run: TargetRun, budgets: readonly Budget[]) {
    this.#run = run;
    this.#budgets = budgets;
    this.#pool = new PartnerPool(run.client, run.hooks);
  }

  /** Opens the profile's partners; under a cap, on a target with a control API, fresh ones instead. */
  async open(): Promise<void> {
    const { partners } = this.#run.client.target;
    for (const { partnerId, unusedCodes } of this.#budgets) {
      const partner = partners.find(({ id }) => id === partnerId);
      const session = partner ? this.#pool.open(partner, unusedCodes) : await this.#pool.fresh();
      this.#sessions.set(partnerId, session);
    }
  }

  /** Session of a budget's partner; null before {@link open}. */
  sessionOf(partnerId: string): Session | null {
    return this.#sessions.get(partnerId) ?? null;
  }

  /** Hands on what is kept, where no allowance is left to repeat it. */
  release(onJudged: OnJudged): void {
    onJudged([...this.#kept.values()].flat());
    this.#kept.clear();
  }

  /**
   * Runs the batches of a plan.
   *
   * @param round name of the plan, part of the ids of its batches
   */
  async run(
    batches: readonly PlannedBatch[],
    round: string,
    onJudged: OnJudged,
  ): Promise<Unfinished> {
    const scheduler = this.#scheduler();
    const again: Check[] = [];
    const skipped = new Map<Check, readonly JudgedRule[]>();
    const runOne = async (batch: PlannedBatch): Promise<void> => {
      const checks = this.#run.begin(batch.checks);
      const session = this.sessionOf(batch.partnerId);
      if (checks.length === 0 || !session || this.#run.signal?.aborted) return;
      if (session.mayBeBanned) {
        for (const check of checks) skipped.set(check, judgeAlike(check, notRun(session)));
        return;
      }
      const id = idOf(batch, checks, round);
      const { findings, isStopped } = await this.#runBatch(
        { ...batch, checks },
        id,
        session,
        scheduler,
      );
      // A survey judges nothing by itself.
      const surveys = checks.filter(({ rules }) => rules.length === 0);
      const lost = surveys.filter((check) => this.#hasLost(check, id));
      const repeated = new Set([...this.#unsettledAmong(findings, id), ...lost]);
      for (const check of repeated) this.#attempts.set(check.id, this.#attemptOf(check) + 1);
      again.push(...repeated);
      for (const check of checks) {
        const own = findings.filter((one) => one.check === check);
        const all = [...(this.#kept.get(check.id) ?? []), ...own];
        // Another partner may run what a refusal stopped.
        if (repeated.has(check)) this.#kept.set(check.id, all);
        else if (isStopped) skipped.set(check, own);
        else {
          this.#kept.delete(check.id);
          onJudged(all);
        }
      }
    };
    for (const phase of PHASES) {
      const ofPhase = batches.flatMap((batch) => inPhase(batch, phase) ?? []);
      await scheduler.run(ofPhase.map((batch) => () => runOne(batch)));
    }
    return { again, skipped };
  }

  /** Runs a check that is in no plan. Its partner must not be banned. */
  async runAlone(id: string, check: Check, partnerId: string): Promise<readonly JudgedRule[]> {
    const session = this.sessionOf(partnerId);
    if (!session) return [];
    const scheduler = this.#scheduler();
    const context = runContext(this.#run, this.#pool, scheduler, async () => null);
    const reserve = (): void => this.#reserve(partnerId, [check]);
    const batch = { id, baseRequest: 'standalone' as const, reserve, checks: [check] };
    let findings: readonly JudgedRule[] = [];
    await scheduler.run([
      async () => {
        findings = await runBatch(batch, session, context);
      },
    ]);
    return findings;
  }

  async #runBatch(
    batch: PlannedBatch,
    id: string,
    session: Session,
    scheduler: Scheduler,
  ): Promise<{ readonly findings: readonly JudgedRule[]; readonly isStopped: boolean }> {
    const { partnerId, baseRequest, setting, checks } = batch;
    const { rateLimit } = this.#run.client;
    const other = otherPartner(partnerId, this.#budgets);
    const context = runContext(this.#run, this.#pool, scheduler, async () => this.sessionOf(other));
    // What seemed to be refused for a rule may have been refused for the target's rate.
    if (checks.some((check) => this.#kept.has(check.id))) await rateLimit.rest('second');
    if (this.#needsRest && !this.#isRecorded(checks, id)) await rateLimit.rest('minute');
    const { shape, demanded, refreshToken, wasRefused } = session;
    const reopen = batch.isReopened
      ? async () => session.accepted.get(batch.name) ?? null
      : undefined;
    const reserve = (): void => this.#reserve(partnerId, checks);
    let isStopped = false;
    const onRefused = (): void => {
      isStopped = true;
    };
    const attempts = this.#attempts;
    const findings = await runBatch(
      { id, baseRequest, setting, reopen, reserve, checks, attempts, onRefused },
      session,
      context,
    );
    // Where nothing is accepted, the signing keys of the profile are wrong more often than a limit.
    const isServed = [...this.#sessions.values()].some(({ wasAccepted }) => wasAccepted);
    // What earlier runs used up is no rate limit either.
    const isRefusedAnew = session.wasRefused && !wasRefused && !session.isUsedUp;
    this.#needsRest = isServed && isRefusedAnew && !this.#hasRested;
    this.#hasRested ||= this.#needsRest;
    // The partner's next batch has another setting.
    if (setting.shape) Object.assign(session, { shape, demanded });
    if (baseRequest === 'user-estimate' || setting.ofUser) session.refreshToken = refreshToken;
    return { findings, isStopped };
  }

  /**
   * Checks to repeat: an answer of theirs was lost, a clock was set while they measured, or they accuse by a refusal
   * for the first time.
   */
  #unsettledAmong(findings: readonly JudgedRule[], batch: string): Check[] {
    const isDoubtful = (one: JudgedRule): boolean =>
      needsRepetition(one, doubtsOf(this.#run.client));
    const accuses = (one: JudgedRule): boolean =>
      isDoubtful(one) && !this.#kept.get(one.check.id)?.some(isDoubtful);
    const isOpenByLoss = ({ judgement, check, attempt = 1 }: JudgedRule): boolean =>
      judgement.verdict === 'inconclusive' && this.#hasLost(check, batch, attempt);
    return findings
      .filter(({ check }) => !comesLast(check))
      .filter((one) => isOpenByLoss(one) || one.isStepped || accuses(one))
      .map(({ check }) => check);
  }

  /** Checks whether an answer to a check was lost, or one that its batch waited for. */
  #hasLost(check: Check, batch: string, attempt = this.#attemptOf(check)): boolean {
    const { recording } = this.#run.client;
    return (
      recording.hasLost(senderOf(check, attempt)) || recording.hasLost({ batch: { id: batch } })
    );
  }

  /** Checks whether an earlier part of the run has sent a request of a batch. */
  #isRecorded(checks: readonly Check[], id: string): boolean {
    return [
      { batch: { id } },
      ...checks.map((check) => senderOf(check, this.#attemptOf(check))),
    ].some((sender) => this.#run.client.recording.hasAny(sender));
  }

  /** Reserves a partner before it is risked: the run may die in between. */
  #reserve(partnerId: string, checks: readonly Check[]): void {
    const { client, hooks } = this.#run;
    const risky = checks.filter(isRisky).filter((check) => {
      const sender = senderOf(check, this.#attemptOf(check));
      return !client.recording.has({ ...sender, number: 1 });
    });
    if (risky.some(({ needs }) => needs?.ban)) hooks.partnerTaken?.(partnerId, 'ban');
    else if (risky.length > 0) hooks.partnerTaken?.(partnerId, 'day');
  }

  #attemptOf({ id }: Check): number {
    return this.#attempts.get(id) ?? 1;
  }

  #scheduler(): Scheduler {
    return new Scheduler(1, (atMs, rules) => this.#run.client.clock.moveTo(atMs, rules));
  }
}

const notRun = (session: Session): Judgement =>
  inconclusive(
    `a well-formed request of its partner was refused before, so ${nothingMoreSent(session)}`,
  );

const idOf = ({ name, partnerId }: PlannedBatch, checks: readonly Check[], round: string): string =>
  `${name}@${partnerId}/${round}${checks.every(isFurther) ? '+' : ''}`;

/** The checks of a batch that run in a phase; null if there is none. */
function inPhase(batch: PlannedBatch, phase: (typeof PHASES)[number]): PlannedBatch | null {
  const checks = batch.checks.filter((check) => {
    const isLater = batch.baseRequest === 'user-estimate' && isFurther(check);
    return phase.includes(isLater ? 'further-user-estimate' : batch.baseRequest);
  });
  return checks.length > 0 ? { ...batch, checks } : null;
}

/** Partner that stands in as another one: the witness, if there is one. */
function otherPartner(partnerId: string, budgets: readonly Budget[]): string {
  const others = budgets.filter((one) => one.partnerId !== partnerId && !one.mayBan);
  const witness = others.find(({ kept }) => kept > 0) ?? others[0];
  return witness?.partnerId ?? '';
}
