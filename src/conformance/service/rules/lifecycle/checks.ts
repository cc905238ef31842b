import { keptLifeIn } from '../../../model/kept-lives.ts';
import { tokenBreaches } from '../../../model/tokens.ts';
import type { Judgement } from '../../../verdict.ts';
import { type Check, type CheckContext, placeOn, type Spending } from '../../contract/check.ts';
import type { Observation } from '../../contract/observation.ts';
import { judgeScript } from '../judge-script.ts';
import * as life from './life.ts';
import * as neverExpires from './never-expires.ts';
import * as newest from './newest.ts';
import * as platformTokens from './platform-tokens.ts';
import { TokenPlayer } from './player.ts';
import { refreshRotates } from './rotates.ts';
import * as singleUse from './single-use.ts';
import type { Script, Step } from './steps.ts';

const SINGLE_USE = 'lifecycle/refresh-single-use';
const CONCURRENT = 'lifecycle/refresh-single-use-concurrent';
const NEVER_EXPIRES = 'lifecycle/refresh-never-expires';
const COEXIST = 'lifecycle/platform-tokens-coexist';
const NEWEST_ONLY = 'lifecycle/user-token-newest-only';

const LIFE = [life.UNTIL_EXPIRY, life.EXPIRES, life.REPLACED] as const;

const ACCEPTANCE: Check['acceptance'] = {
  [NEVER_EXPIRES]: 'demanded',
  [COEXIST]: 'demanded',
  [life.UNTIL_EXPIRY]: 'demanded',
  [life.REPLACED]: 'demanded',
};

type More = Pick<Check, 'refusedAs' | 'priority' | 'needs'>;

/** The check of a script, which shows those rules. */
function checkOf(rules: readonly string[], script: Script, more: More = {}): Check {
  const [rule = ''] = rules;
  const { name, circumstance, steps, spare, baseRequest = 'standalone', rank } = script;
  const stepsFor: (facts: CheckContext['facts']) => readonly Step[] =
    typeof steps === 'function' ? steps : () => steps;
  return {
    ...more,
    ...(rank !== undefined && { priority: { stage: 'further', rank } }),
    id: name === undefined ? rule : `${rule}@${name}`,
    rules,
    places: [placeOn(baseRequest, circumstance === undefined ? {} : { circumstance })],
    acceptance: ACCEPTANCE,
    effect: typeof steps !== 'function' && steps.some(isWait) ? 'waits' : undefined,
    spends: (facts) => spendingOf(stepsFor(facts), spare),
    run: async (ctx) => {
      const player = new TokenPlayer(ctx);
      await player.play(stepsFor(ctx.facts));
      return Object.fromEntries(rules.map((one) => [one, judgeBy(ctx, player, one)]));
    },
  };
}

/** Judges a rule by the model of tokens, over what the partners of a script sent so far. */
function judgeBy(ctx: CheckContext, player: TokenPlayer, rule: string): Judgement {
  const all = ctx.log();
  const log = all.filter(({ partner }) => player.partners.has(partner));
  const own = log.filter(({ id }) => player.sent.has(id));
  return judgeScript(rule, {
    breaches: tokenBreaches(log, all).filter(
      (one) => one.rule === rule && player.sent.has(one.key),
    ),
    kept: keptLifeIn(log, rule),
    sent: own.map(({ id }) => id),
    last: player.last,
    missing: player.missing,
    tooLate: player.tooLate,
  });
}

const isWait = (step: Step): boolean =>
  'afterMs' in step || 'endOf' in step || 'lifeOf' in step || 'zone' in step;

/** Token requests of some steps, and auth codes. */
function spendingOf(steps: readonly Step[], spare: Spending = {}): Spending {
  const gets = steps.flatMap((step) =>
    'get' in step ? [step] : 'atOnce' in step ? step.atOnce : [],
  );
  const count = (kind: 'refresh' | 'user' | 'platform'): number =>
    gets.filter(({ from, of }) => (from === undefined ? (of ?? 'platform') : 'refresh') === kind)
      .length;
  const user = count('user');
  const refresh = count('refresh') + (spare.refresh ?? 0);
  return { platform: count('platform'), refresh, user, codes: user };
}

interface Scripts {
  readonly own: Script;
  /** Its like for metered targets; left out, the same. */
  readonly metered?: Script;
  /** Further ones where requests are free, and for metered targets. */
  readonly parts: readonly Script[];
  readonly further?: readonly Script[];
}

function checksOf(
  rules: readonly string[],
  { own, metered = own, parts, further = [] }: Scripts,
  more: More = {},
): Check {
  const checkOfPart = (part: Script): Check => checkOf(part.rules ?? rules, part);
  const check = checkOf(rules, own, more);
  return {
    ...check,
    parts: (facts) =>
      facts.metered
        ? [checkOf(rules, metered, more), ...further.map(checkOfPart)]
        : [check, ...parts.map((part) => ({ ...checkOfPart(part), spends: undefined }))],
  };
}

/** Checks of the area `lifecycle` (interface.md, "States and transitions"). */
export const lifecycleChecks: readonly Check[] = [
  checksOf(
    [SINGLE_USE],
    {
      own: singleUse.SINGLE_USE,
      parts: singleUse.SINGLE_USE_PARTS,
      further: singleUse.SINGLE_USE_FURTHER,
    },
    { refusedAs: 'refresh-token-invalid', priority: { rank: 1 } },
  ),
  checksOf(
    [CONCURRENT],
    {
      own: singleUse.CONCURRENT,
      parts: singleUse.CONCURRENT_PARTS,
      further: singleUse.CONCURRENT_FURTHER,
    },
    { priority: { rank: 4 } },
  ),
  checksOf(
    [NEVER_EXPIRES],
    { own: neverExpires.NEVER_EXPIRES, parts: neverExpires.NEVER_EXPIRES_PARTS },
    { needs: { control: true } },
  ),
  checksOf(
    [COEXIST],
    { own: platformTokens.COEXIST, parts: platformTokens.COEXIST_PARTS },
    { priority: { rank: 2 } },
  ),
  checksOf(
    [NEWEST_ONLY],
    {
      own: newest.NEWEST_ONLY,
      parts: newest.NEWEST_ONLY_PARTS,
      further: newest.NEWEST_ONLY_FURTHER,
    },
    { refusedAs: 'access-token-invalid', priority: { rank: 2 } },
  ),
  checksOf(
    LIFE,
    {
      own: life.LIFE,
      metered: life.LIFE_METERED,
      parts: life.LIFE_PARTS,
      further: life.LIFE_FURTHER,
    },
    // Its requests are in vain where tokens live longer than a run.
    { refusedAs: 'access-token-expired', priority: { rank: 9 } },
  ),
];

/** Rules of the area that are judged over what was seen. */
export const lifecycleObservations: readonly Observation[] = [refreshRotates];
