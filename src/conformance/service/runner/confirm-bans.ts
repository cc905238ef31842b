import { inconclusive } from '../../verdict.ts';
import type { PartnerPool } from '../wire/partner-pool.ts';
import { type Batch, runBatch } from './batch.ts';
import { attemptName } from './check-run.ts';
import { AFTER_REFUSAL } from './confirm.ts';
import type { JudgedRule } from './judged-rule.ts';
import { runContext } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { TargetRun } from './target-run.ts';

/** Repetitions of a check, at once, so that they rest together: a target may end one ban of five early. */
const REPETITIONS = 8;

/** Checks of a run that are repeated in vain, at most: each takes a minute. */
const MOST_IN_VAIN = 3;

const attemptOf = ({ check }: JudgedRule): number => check.attempt ?? 1;

/** Checks whether a judgement is that of a rule whose violation is confirmed by a rest. */
function isEarlyEnd({ rule, check, judgement }: JudgedRule): boolean {
  const isOfBan = check.bansFresh === true && AFTER_REFUSAL.includes(rule);
  return isOfBan && judgement.verdict === 'violated';
}

/** Checks whether a judgement says that a ban ended early which may not have begun. */
export function needsConfirmation(one: JudgedRule): boolean {
  return isEarlyEnd(one) && attemptOf(one) === 1;
}

/** Checks whether a judgement confirms that bans end early. */
export function isConfirmation(one: JudgedRule): boolean {
  return isEarlyEnd(one) && attemptOf(one) > 1;
}

/** Takes back an early end of a ban: the request beyond the allowance may have been refused for the rate. */
export function takenBack(one: JudgedRule): JudgedRule {
  const { reason, exchanges } = one.judgement;
  const doubt = `${reason}; it did not end early where a minute of rest came before the request beyond the allowance, so a rate limit may have refused that request`;
  return { ...one, judgement: inconclusive(doubt, exchanges) };
}

/** Merges what a check found with what one of its repetitions found, which decides about early ends of bans only. */
export function afterRepetition(first: JudgedRule, repeated: JudgedRule): JudgedRule {
  const exchanges = [...new Set([...repeated.exchanges, ...first.exchanges])];
  // Of several the first decides, in whatever order they ended.
  const isDecided = isConfirmation(first) && attemptOf(first) < attemptOf(repeated);
  if (isConfirmation(repeated) && !isDecided) return { ...repeated, exchanges };
  return isEarlyEnd(first) ? { ...first, exchanges } : first;
}

/** Repeats checks in which a ban seemed to end early, with a rest before each ban counts as begun. */
export class BanConfirmation {
  readonly #run: TargetRun;
  readonly #pool: PartnerPool;
  #isConfirmed = false;
  #inVain = 0;

  constructor(run: TargetRun, pool: PartnerPool) {
    this.#run = run;
    this.#pool = pool;
  }

  /** Judgements of a check that was run once; one early end that is confirmed confirms the others. */
  async confirm(judged: readonly JudgedRule[], batch: Batch): Promise<readonly JudgedRule[]> {
    const early = judged.find(needsConfirmation);
    if (!early || this.#isConfirmed) return judged;
    const repeated = this.#inVain < MOST_IN_VAIN ? await this.#repeat(early, batch) : [];
    const merged = judged.map((one) =>
      repeated.filter(({ rule }) => rule === one.rule).reduce(afterRepetition, one),
    );
    this.#isConfirmed = !merged.some(needsConfirmation);
    if (this.#isConfirmed) return merged;
    this.#inVain++;
    this.#run.client.mayLimitRate = true;
    return merged.map((one) => (needsConfirmation(one) ? takenBack(one) : one));
  }

  async #repeat({ check }: JudgedRule, batch: Batch): Promise<JudgedRule[]> {
    const scheduler = new Scheduler(REPETITIONS, (atMs) => this.#run.client.clock.moveTo(atMs));
    const context = runContext(this.#run, this.#pool, scheduler, () => this.#pool.fresh());
    const found: JudgedRule[][] = [];
    const repetitions = Array.from({ length: REPETITIONS }, (_, at) => async () => {
      const again = { ...check, attempt: at + 2 };
      const alone = { ...batch, id: attemptName(again), checks: [again] };
      found[at] = await runBatch(alone, await this.#pool.fresh(), context);
    });
    await scheduler.run(repetitions);
    return found.flat();
  }
}
