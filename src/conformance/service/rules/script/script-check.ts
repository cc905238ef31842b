import type { Asked } from '../../../model/asked.ts';
import type { Breach } from '../../../model/breach.ts';
import type { Kept } from '../../../model/kept.ts';
import { inconclusive, type Judgement, pass, untestable } from '../../../verdict.ts';
import {
  type Check,
  type CheckContext,
  type Finding,
  type Findings,
  isCounted,
  type Price,
  standalone,
} from '../../contract/check.ts';
import { describeAnswer } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';
import { violationByBreach } from '../../contract/violation-by-breach.ts';
import { LONGEST_DAY_MS, MINUTE_MS } from '../days.ts';
import type { Course } from './course.ts';
import { Player } from './player.ts';
import { type Step, spendingOfSteps } from './steps.ts';

/** Steps by the facts of the target. */
type Steps = readonly Step[] | ((facts: Facts) => readonly Step[]);

/** Requests of some partners, and the rules that a model judges by them. */
export interface Script {
  /** Name of a further part, and its circumstance in words; left out for the check's own script. */
  readonly name?: string | undefined;
  readonly circumstance?: string | undefined;
  /** Rules that its steps show, the one that it is named by first; left out, those of its check. */
  readonly rules?: readonly string[];
  /** Rules that it may show to be broken, but not that they are kept. */
  readonly accuses?: readonly string[];
  readonly steps: Steps;
  /** Further steps by the rule that they show, which a metered run may leave to another day. */
  readonly later?: Readonly<Record<string, Steps>>;
  /**
   * Steps by the rule of `later` that follow if a request was accepted there as no ban was in force, and a
   * rate limit may be why none had begun: they begin another one.
   */
  readonly inDoubt?: Readonly<Record<string, Steps>>;
  /** Requests of a metered partner beyond the steps. */
  readonly spare?: Price;
  /** Further fields of its check. */
  readonly check?: Partial<Check>;
}

/** A further script, and its circumstance in words. */
export const part = (name: string, circumstance: string, steps: Steps): Script => ({
  name,
  circumstance,
  steps,
});

/** Scripts of one check, its own first, then further ones: where requests are free, and for metered targets. */
export interface Scripts extends Pick<Script, 'rules' | 'check'> {
  readonly free: readonly Script[];
  readonly metered: readonly Script[];
}

/** Requests that a script is judged by, in order of sending. */
interface Log {
  /** All of the run so far. */
  readonly all: readonly Asked[];
  /** Those of the script, and all of its partners. */
  readonly own: readonly Asked[];
  readonly ofPartners: readonly Asked[];
}

/** Model that judges the scripts of an area: finds breaches of rules, and evidence that one was kept. */
export interface Model {
  /** Fields of all checks of the area. */
  readonly check: Partial<Check>;
  readonly breachesIn: (log: Log) => readonly Breach[];
  readonly keptIn: (log: Log, rule: string) => Kept | undefined;
}

/** The check of several scripts. */
export function checksOf({ rules = [], check, free, metered }: Scripts, model: Model): Check {
  const one = (script: Script): Check =>
    checkOf({ rules, ...script, check: { ...model.check, ...check, ...script.check } }, model);
  const [own] = [...free, ...metered];
  return { ...one(own!), parts: (facts) => (facts.metered ? metered : free).map(one) };
}

function checkOf(script: Script, model: Model): Check {
  const { name, circumstance, rules = [], accuses = [], later = {}, steps, check } = script;
  const all = [...rules, ...Object.keys(later), ...accuses];
  const isWaiting = typeof steps !== 'function' && steps.some((step) => 'since' in step);
  return {
    id: name === undefined ? all[0]! : `${all[0]}@${name}`,
    rules: all,
    places: [standalone(name === undefined ? undefined : circumstance)],
    effect: isWaiting ? 'waits' : undefined,
    spends: (facts) => priceOfScript(script, facts),
    run: (ctx) => run(ctx, script, model),
    ...check,
  };
}

const stepsOf = (steps: Steps, facts: Facts): readonly Step[] =>
  typeof steps === 'function' ? steps(facts) : steps;

function priceOfScript({ steps, later, inDoubt, spare }: Script, facts: Facts): Price {
  const further = [later, inDoubt].flatMap((by = {}) => Object.values(by));
  const ofLater = further.flatMap((more) => stepsOf(more, facts));
  return {
    ...spendingOfSteps(stepsOf(steps, facts), spare),
    later: spendingOfSteps(ofLater, spare?.later),
  };
}

async function run(ctx: CheckContext, script: Script, model: Model): Promise<Findings> {
  const { rules = [], accuses = [], later = {}, inDoubt = {}, check } = script;
  const { facts } = ctx;
  const steps = stepsOf(script.steps, facts);
  const counts = isCounted(model.check);
  const player = new Player(ctx, { isCounted: counts });
  const { course } = player;
  // A look whether refused requests count may have used a partner that may be banned.
  if (check?.needs?.ban) await player.takeOver();
  await player.play(steps);
  const settle = async (of: readonly string[]): Promise<void> => {
    if (counts) await settleDoubts(player, steps, of, model);
  };
  await settle([...rules, ...accuses]);
  const findings: Record<string, Finding> = {};
  for (const rule of rules) findings[rule] = judge(rule, course, model);
  for (const rule of accuses) {
    const judgement = judge(rule, course, model);
    findings[rule] = judgement.verdict === 'inconclusive' ? NOT_SHOWN : judgement;
  }
  for (const [rule, more] of Object.entries(later)) {
    findings[rule] = async () => {
      if (facts.asked(rule)) await player.play(stepsOf(more, facts));
      if (inDoubt[rule] && player.sawBanEnd && !isShown(breachesOf([rule], course, model))) {
        ctx.reserve();
        await player.playOn(stepsOf(inDoubt[rule], facts));
      }
      await settle([rule]);
      const judgement = judge(rule, course, model);
      // The rule that it depends on is judged by then.
      if (judgement.verdict === 'violated' && check?.dependsOn?.[rule] && course.ban)
        await ctx.reach(course.ban.answeredAtMs + LONGEST_DAY_MS + RESET_KNOWN_MS);
      return judgement;
    };
  }
  return findings;
}

/** Time after a day's end by which the check of quota/daily-reset has ended, in ms. */
const RESET_KNOWN_MS = 10 * MINUTE_MS;

/** Judgement of a rule that a script may only show to be broken. */
export const NOT_SHOWN: Judgement = untestable('judged by checks that show more of it');

/**
 * Takes the one long rest of a run where a rate limit may explain a breach that nothing else explains: a
 * request that was refused is sent again after it, or the script is repeated as fresh partners, with the rest before
 * what is beyond an allowance.
 */
async function settleDoubts(
  player: Player,
  steps: readonly Step[],
  rules: readonly string[],
  model: Model,
): Promise<void> {
  const { course } = player;
  const { facts, rests } = course.ctx;
  const found = breachesOf(rules, course, model);
  for (const { rule, isLasting } of found) if (isLasting) rests.confirmed.add(rule);
  const isOpen = found.some(({ rule }) => !rests.confirmed.has(rule)) && !rests.isTaken;
  rests.isTaken ||= isOpen;
  if (player.sawRefusal) return player.compareRefused(isOpen);
  if (!isOpen || !facts.hasControl) return;
  const rested = await course.ctx.freshPartner();
  const again = new Player(course.ctx, { isCounted: true, rested });
  await again.play(steps);
  for (const id of again.course.sent) course.sent.add(id);
}

/** Requests of a course so far: its rules are judged by the same ones, one after the other. */
interface Shown {
  readonly log: Log;
  readonly sent: number;
  breaches?: readonly Breach[];
}

const SHOWN = new WeakMap<Course, Shown>();

/** Requests of a script: the log names their partners as the run did. */
function shownIn(course: Course): Shown {
  const { ctx, sent } = course;
  const all = ctx.log();
  const known = SHOWN.get(course);
  if (known?.log.all === all && known.sent === sent.size) return known;
  const own = all.filter(({ id }) => sent.has(id));
  const partners = new Set(own.map(({ partner }) => partner));
  const ofPartners = all.filter(({ partner }) => partners.has(partner));
  const shown: Shown = { log: { all, own, ofPartners }, sent: sent.size };
  SHOWN.set(course, shown);
  return shown;
}

function breachesOf(rules: readonly string[], course: Course, model: Model): Breach[] {
  const shown = shownIn(course);
  shown.breaches ??= model.breachesIn(shown.log);
  return shown.breaches.filter(({ rule }) => rules.includes(rule));
}

/** Checks whether one of some breaches is none that a rate limit explains. */
const isShown = (breaches: readonly Breach[]): boolean =>
  breaches.some(({ isLasting }) => isLasting);

/** Judges a rule by the course of a script. */
function judge(rule: string, course: Course, model: Model): Judgement {
  const { log } = shownIn(course);
  const sent = log.own.map(({ id }) => id);
  const breaches = breachesOf([rule], course, model);
  const breach = breaches.find(({ isLasting }) => isLasting) ?? breaches[0];
  const { confirmed } = course.ctx.rests;
  if (breach?.isLasting) confirmed.add(rule);
  // Once another script showed it after a rest, how it is broken here may name the cause.
  if (breach && confirmed.has(rule)) {
    const wasAccepted = log.all.find(({ id }) => id === breach.key)?.outcome === 'accepted';
    return violationByBreach(breach, wasAccepted, sent);
  }
  if (breach) {
    const doubt = `${breach.reason}; a rate limit may have refused a request`;
    return { ...inconclusive(doubt, sent), isDoubt: true };
  }
  const { missing, tooLate, last } = course;
  if (missing !== null) return inconclusive(missing, sent);
  const kept = model.keptIn(log, rule);
  if (kept) return pass(kept.reason, [...kept.exchanges, ...sent]);
  if (tooLate !== null) return untestable(tooLate, 'a control API, or a run that waits');
  const ending = last ? ` (the last response: ${describeAnswer(last)})` : '';
  return inconclusive(`what it sent does not show whether the rule is kept${ending}`, sent);
}
