import { allowanceBreaches } from '../../../model/allowances.ts';
import type { Asked } from '../../../model/asked.ts';
import type { Breach } from '../../../model/breach.ts';
import { keptIn } from '../../../model/kept.ts';
import { type Judgement, untestable } from '../../../verdict.ts';
import {
  type Check,
  type CheckContext,
  type Finding,
  type Price,
  standalone,
} from '../../contract/check.ts';
import type { Facts } from '../../contract/target.ts';
import { judgeScript } from '../judge-script.ts';
import { LONGEST_DAY_MS } from './day.ts';
import { Player, type Step } from './script.ts';

/** Rule on the whole allowance of a day, by kind. */
export const ALLOWS = {
  platform: 'quota/platform-allows-10',
  user: 'quota/user-allows-5',
  refresh: 'quota/refresh-allows-10',
} as const;

/** Rule on the request beyond the allowance, by kind. */
export const REFUSES = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
} as const;

/** Requests of some partners, and the rules that the model of allowances judges by them. */
export interface Script {
  /** Rule that it is for. */
  readonly rule: string;
  /** Name of a further part, and its circumstance in words. */
  readonly name?: string | undefined;
  readonly circumstance?: string | undefined;
  /** Condition that its refusals meet, where it is one for all; the first of a ban is for the allowance. */
  readonly refusedAs?: 'banned' | undefined;
  /** Rules that its steps show. */
  readonly rules: readonly string[];
  /** Rules that it may show to be broken, but not that they are kept. */
  readonly accuses?: readonly string[] | undefined;
  readonly steps: (facts: Facts) => readonly Step[];
  /** Further steps by the rule that they show, which a metered run may leave to another day. */
  readonly later?: Readonly<Record<string, (facts: Facts) => readonly Step[]>> | undefined;
  /**
   * Steps by the rule of `later` that follow if a request was accepted there as no ban was in force, and a
   * limit of the rate may be why none had begun: they begin another one.
   */
  readonly inDoubt?: Script['later'];
  readonly dependsOn?: Check['dependsOn'];
  readonly priority?: Check['priority'];
  readonly spends?: Price | undefined;
}

const ACCEPTANCE = Object.fromEntries(
  [
    ...Object.values(ALLOWS),
    'quota/per-partner',
    'quota/counters-independent',
    'quota/daily-reset',
    'quota/ban-lifts',
  ].map((rule) => [rule, 'demanded' as const]),
);

function checkOfScript(script: Script): Check {
  const { rule, name, circumstance, accuses = [], later = {} } = script;
  const rules = [...script.rules, ...Object.keys(later), ...accuses];
  return {
    id: name ? `${rule}@${name}` : rule,
    rules,
    places: [standalone(name ? circumstance : undefined)],
    acceptance: ACCEPTANCE,
    refusedAs: script.refusedAs,
    effect: 'bans',
    priority: script.priority,
    spends: () => script.spends ?? {},
    run: (ctx) => runScript(ctx, script),
  };
}

/** The check of a script for a target with a control API, and its further parts where requests are free. */
export function scriptOf(script: Script, parts: readonly Script[]): Check {
  const own = checkOfScript(script);
  const all = [own, ...parts.map(checkOfScript)];
  return {
    ...own,
    parts: ({ hasControl, metered }) => (!hasControl ? [] : metered ? [own] : all),
  };
}

/** The check of a script for a target without a control API. */
export function meteredScript(script: Script, more: Pick<Check, 'needs' | 'effect'>): Check {
  // A look whether refused requests count may have used a partner that may be banned.
  const run = (ctx: CheckContext): Promise<Readonly<Record<string, Finding>>> =>
    runScript(ctx, script, more.needs?.ban);
  const own = { ...checkOfScript(script), dependsOn: script.dependsOn, run, ...more };
  return { ...own, parts: ({ hasControl }) => (hasControl ? [] : [own]) };
}

async function runScript(
  ctx: CheckContext,
  { rules, accuses = [], steps, later = {}, inDoubt = {}, dependsOn = {} }: Script,
  takesOver = false,
): Promise<Readonly<Record<string, Finding>>> {
  const player = new Player(ctx);
  if (takesOver) await player.takeOver();
  await player.play(steps(ctx.facts));
  await settleDoubts(ctx, player, [...rules, ...accuses], steps);
  const findings = Object.fromEntries(
    rules.map((rule): [string, Finding] => [rule, () => judgeBy(ctx, player, rule)]),
  );
  const further = Object.entries(later).map(([rule, more]): [string, Finding] => [
    rule,
    async () => {
      if (ctx.facts.asked(rule)) await player.play(more(ctx.facts));
      if (inDoubt[rule] && player.sawBanEnd && !isShown(ctx, player, rule)) {
        ctx.reserve();
        await player.playOn(inDoubt[rule](ctx.facts));
      }
      const judgement = judgeBy(ctx, player, rule);
      // The rule that it depends on is judged by then.
      if (judgement.verdict === 'violated' && dependsOn[rule] && player.banMs !== null)
        await ctx.reach(player.banMs + LONGEST_DAY_MS + RESET_KNOWN_MS);
      return judgement;
    },
  ]);
  const accusing = accuses.map((rule): [string, Finding] => [
    rule,
    () => {
      const judgement = judgeBy(ctx, player, rule);
      return judgement.verdict === 'inconclusive' ? NOT_SHOWN : judgement;
    },
  ]);
  return { ...findings, ...Object.fromEntries([...further, ...accusing]) };
}

/** Time after a day's end by which the check of quota/daily-reset has ended, in ms. */
const RESET_KNOWN_MS = 10 * 60_000;

/** Scripts that are repeated in vain, at most: each takes minutes. */
const MOST_IN_VAIN = 3;

/**
 * Repeats a script as fresh partners where a limit of the rate may explain a breach: with a minute's rest before
 * what is beyond an allowance.
 */
async function settleDoubts(
  ctx: CheckContext,
  player: Player,
  rules: readonly string[],
  steps: Script['steps'],
): Promise<void> {
  const { facts, rests } = ctx;
  const own = (one: Pick<Player, 'sent'>): Breach[] =>
    breachesIn(ctx, one).filter(({ rule }) => rules.includes(rule));
  const confirm = (breaches: readonly Breach[]): void => {
    for (const { rule } of breaches.filter(({ isLasting }) => isLasting)) rests.confirmed.add(rule);
  };
  const found = own(player);
  confirm(found);
  const isOpen = found.some(({ rule }) => !rests.confirmed.has(rule));
  if (!isOpen || !facts.hasControl || rests.inVain >= MOST_IN_VAIN) return;
  const rested = new Player(ctx, await ctx.freshPartner());
  await rested.play(steps(facts));
  for (const id of rested.sent) player.sent.add(id);
  const again = own(rested);
  confirm(again);
  if (!again.some(({ isLasting }) => isLasting)) rests.inVain++;
}

const breachesIn = (ctx: CheckContext, player: Pick<Player, 'sent'>): Breach[] =>
  allowanceBreaches(ctx.log(), new Set(ownLog(ctx, player).map(({ partner }) => partner)));

/** Requests of a script: the log names their partners as the run did. */
const ownLog = (ctx: CheckContext, { sent }: Pick<Player, 'sent'>): readonly Asked[] =>
  ctx.log().filter(({ id }) => sent.has(id));

/** Checks whether a script shows that a rule is broken, whatever the limits of the rate. */
const isShown = (ctx: CheckContext, player: Player, rule: string): boolean =>
  breachesIn(ctx, player).some((one) => one.rule === rule && one.isLasting);

const NOT_SHOWN = untestable('judged by checks that show more of it');

/** Judges a rule by the model of allowances, over what the partners of a script sent so far. */
function judgeBy(ctx: CheckContext, player: Player, rule: string): Judgement {
  const own = ownLog(ctx, player);
  return judgeScript(rule, {
    breaches: breachesIn(ctx, player).filter((one) => one.rule === rule),
    kept: keptIn(own, rule),
    sent: own.map(({ id }) => id),
    last: player.last,
  });
}
