import { inconclusive } from '../../verdict.ts';
import { accusesByRefusal, type Doubts, unlessUnproven } from './alibis.ts';
import type { JudgedRule } from './judged-rule.ts';

const attemptOf = ({ attempt = 1 }: JudgedRule): number => attempt;

/** Checks whether what a check found has to show again, as a fresh partner. */
export function needsRepetition(one: JudgedRule, doubts: Doubts): boolean {
  const proven = unlessUnproven(one, doubts);
  // A ban that reaches other partners refuses the fresh one too.
  return one.check.effect !== 'bans' && accusesByRefusal(proven, doubts.statusOf);
}

/**
 * Attempts of one check at one rule, in order; those that were not sent, or while which a clock was set, say nothing
 * beside another.
 */
function attemptsIn(found: readonly JudgedRule[]): JudgedRule[][] {
  const groups = new Map<string, JudgedRule[]>();
  for (const one of found) {
    const key = JSON.stringify([one.rule, one.check.id]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((attempts) => {
    const sent = attempts.filter(
      ({ judgement, isStepped }) => judgement.verdict !== 'untestable' && !isStepped,
    );
    return (sent.length > 0 ? sent : attempts).sort((a, b) => attemptOf(a) - attemptOf(b));
  });
}

/** The attempt that decided, and the last of those that repeated it. */
interface Decided {
  readonly one: JudgedRule;
  readonly again: JudgedRule | undefined;
}

/** The first attempt that proves something; a later one accuses by a refusal only if that shows again. */
function decided(attempts: readonly JudgedRule[], { statusOf }: Doubts): Decided {
  const [first] = attempts as readonly [JudgedRule];
  const at = attempts.findIndex(({ judgement }) => judgement.verdict !== 'inconclusive');
  const one = attempts[at] ?? first;
  if (!accusesByRefusal(one, statusOf)) return { one, again: undefined };
  const again = attempts.slice(at + 1).at(-1);
  return again || at === 0 ? { one, again } : { one: first, again: undefined };
}

/** Rules of which a refusal did not show again when its check was repeated. */
export function notShownAgain(found: readonly JudgedRule[], doubts: Doubts): string[] {
  return attemptsIn(found.map((one) => unlessUnproven(one, doubts)))
    .filter(([first]) => first?.check.effect !== 'bans')
    .map((attempts) => decided(attempts, doubts))
    .filter(({ again }) => again && again.judgement.verdict !== 'violated')
    .map(({ one }) => one.rule);
}

/**
 * Merges the attempts of each check at a rule: the one place where what a check found meets its
 * repetitions.
 */
export function mergeAttempts(found: readonly JudgedRule[], doubts: Doubts): JudgedRule[] {
  return attemptsIn(found.map((one) => unlessUnproven(one, doubts))).map((attempts) => {
    const [first] = attempts as [JudgedRule, ...JudgedRule[]];
    return first.check.effect === 'bans' ? first : confirmed(decided(attempts, doubts), attempts);
  });
}

/** Exchanges of all attempts, those of the last one first. */
function exchangesOf(attempts: readonly JudgedRule[]): string[] {
  return [...new Set(attempts.toReversed().flatMap((one) => one.exchanges))];
}

/** A violation by a refusal stands if it shows again. */
function confirmed({ one, again }: Decided, attempts: readonly JudgedRule[]): JudgedRule {
  if (!again) return one;
  const exchanges = exchangesOf(attempts);
  // Some refusals at random are likely in a long sequence, but not at the same place.
  const isSamePlace = one.judgement.place === again.judgement.place;
  if (again.judgement.verdict === 'violated' && isSamePlace) return { ...again, exchanges };
  const reason =
    again.judgement.verdict === 'inconclusive'
      ? `${one.judgement.reason}; when it was repeated as a fresh partner: ${again.judgement.reason}`
      : `${one.judgement.reason}; not so when it was repeated as a fresh partner, so the refusal has another cause`;
  return { ...again, judgement: inconclusive(reason), exchanges };
}
