import type { RuleResult } from '../../../documents/conformance.ts';
import type { ReplayDocument } from '../../../documents/replay.ts';
import { isBroken } from '../../../documents/rule-verdict.ts';
import type { Exchange, Words } from '../../../documents/sealed.ts';
import type { Judgement } from '../../verdict.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/messages.ts';
import type { Seen } from '../contract/observation.ts';
import { SHAPES } from '../contract/target.ts';
import { sentFields, sentQuery, shapeOf } from '../recheck/stored-session.ts';
import { BESIDE_EARLIER, OF_ONE, seenToken } from '../rules/of-one-answer.ts';
import type { FormerRun } from './former-run.ts';
import { outcomeOf } from './outcome.ts';

type Response = EstimateAnswer | TokenAnswer;

/** Rules that a response breaks by itself, and what judges it. */
const OF_RESPONSE = new Map(
  OF_ONE.filter(({ rule }) => !BESIDE_EARLIER.has(rule)).map(({ rule, judge }) => [rule, judge]),
);

/**
 * Checks whether an exchange alone shows that a rule is broken: by what the response says, or by a status that a
 * well-formed request is compared with. What a check sends as a partner of its own it judges together.
 */
export function isShownBy({ id }: Pick<RuleResult, 'id'>, exchange: Exchange): boolean {
  const isOneOfSeveral = exchange.part?.batch?.baseRequest === 'standalone';
  return OF_RESPONSE.has(id) || (!isOneOfSeveral && hasWrongStatus(exchange));
}

/** Checks whether the status of an exchange is not the one that it must get. */
export const hasWrongStatus = (exchange: Exchange): boolean =>
  outcomeOf(exchange).verdict === 'not-as-expected';

/** Broken rules that an exchange decides: those that it shows, or else those that it is evidence of with others. */
function rulesOf(exchange: Exchange, { rules }: FormerRun): RuleResult[] {
  const broken = rules.filter((rule) => isBroken(rule) && rule.exchanges.includes(exchange.id));
  const decided = broken.filter(
    (rule) => rule.shownBy === exchange.id || isShownBy(rule, exchange),
  );
  return decided.length > 0 ? decided : broken;
}

/** Commands that judge the broken rules of an exchange again. */
export function rerunsOf(exchange: Exchange, run: FormerRun): string[] {
  return rulesOf(exchange, run).flatMap(({ repeat }) => repeat ?? []);
}

/** Verdicts of a new response to an exchange on its broken rules. */
export interface Said {
  readonly broken?: { readonly rule: string; readonly reason: Words } | undefined;
  /** Rules that this response keeps. */
  readonly kept: readonly string[];
  /** Rules that the request alone does not show to be kept. */
  readonly open: readonly string[];
}

/** Judges a new response to an exchange by each of its rules that a response breaks by itself. */
export function saidBy(former: Exchange, answer: Response, run: FormerRun): Said {
  const seen = seenIn(former, answer, run.targetOf(former)?.estimates ?? {});
  const judged = rulesOf(former, run).map((rule) => ({
    rule: rule.id,
    judgement: OF_RESPONSE.get(rule.id)?.(seen),
    isShown: isShownBy(rule, former),
  }));
  const having = (verdict: Judgement['verdict']) =>
    judged.filter(({ judgement }) => judgement?.verdict === verdict);
  const [violated] = having('violated');
  const kept = having('pass');
  const open = judged.filter((one) => !one.isShown || (one.judgement && !kept.includes(one)));
  const idsOf = (some: typeof judged): string[] => some.map(({ rule }) => rule);
  return {
    broken: violated && { rule: violated.rule, reason: violated.judgement?.reason ?? '' },
    kept: idsOf(kept),
    open: idsOf(open),
  };
}

/**
 * Judges an exchange that was sent again by its status, and then by what its response says. Of a rule that it does
 * not show alone, a right status says nothing.
 *
 * @param why the reason of the rule that the response breaks, redacted
 */
export function findingOf(
  now: Exchange,
  { broken, kept, open }: Said,
  why: string,
): Pick<ReplayDocument, 'verdict' | 'expected' | 'reason'> {
  const outcome = outcomeOf(now);
  const { verdict, reason: came } = outcome;
  if (verdict === 'not-as-expected' || verdict === 'inconclusive') return outcome;
  if (broken)
    return {
      ...outcome,
      verdict: 'not-as-expected',
      reason: `${came}, but ${broken.rule}: ${why}`,
    };
  if (open.length > 0) {
    const reason = `${came}, but this request alone does not show whether ${open.join(', ')} is kept`;
    return { ...outcome, verdict: 'inconclusive', reason };
  }
  const ending =
    kept.length > 0 ? `this response keeps ${kept.join(', ')}` : 'only the status was compared';
  return { ...outcome, reason: `${came}; ${ending}` };
}

/** An accepted response, as the rules on what responses say see it. */
function seenIn(
  former: Exchange,
  answer: Response,
  estimates: Parameters<typeof shapeOf>[1]['estimates'],
): Seen {
  const shapes = SHAPES.filter((shape) => estimates[shape] !== undefined);
  const none: Seen = { requests: [], tokens: [], estimates: [], facts: { shapes, metered: true } };
  if (answer.outcome !== 'accepted') return none;
  if ('records' in answer) {
    const query = sentQuery(former);
    const as = former.signed ? 'user' : 'platform';
    return { ...none, estimates: [{ answer, query, shape: shapeOf(query, { estimates }), as }] };
  }
  const token = seenToken(sentFields(former) ?? {}, former.partnerId ?? '', answer);
  return { ...none, tokens: [token] };
}
