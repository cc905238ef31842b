import type { AlsoRed, SelfcheckRow, SoundSubject } from '../../../documents/selfcheck.ts';
import type { Outcome, Trial } from './side.ts';
import type { TaskAnswer } from './task.ts';

type Side = SelfcheckRow['side'];

const isRed = ({ verdict }: Outcome): boolean => verdict === 'fail' || verdict === 'warn';
const isUndecided = ({ verdict }: Outcome): boolean =>
  verdict === 'inconclusive' || verdict === 'untestable';

/** Row of the matrix: the verdicts of the checker on a subject with one rule broken. */
export function rowOf(side: Side, { rule, how, breaks }: Trial, answer: TaskAnswer): SelfcheckRow {
  const { id, level } = rule;
  const row = { rule: id, side, level, how };
  if (!answer.ok) {
    const reason = `the checker crashed: ${answer.message}`;
    return { ...row, verdict: 'survived', reason, alsoRed: [], undecided: [], durationMs: 0 };
  }
  const { outcomes, durationMs } = answer;
  const own = outcomes.find((outcome) => outcome.id === id);
  const killed = own?.verdict === (level === 'must' ? 'fail' : 'warn');
  const others = outcomes.filter((outcome) => outcome.id !== id);
  return {
    ...row,
    verdict: killed ? 'killed' : 'survived',
    reason: own === undefined ? 'not judged' : `${own.verdict}: ${own.reason}`,
    alsoRed: others.filter(isRed).map((other): AlsoRed => {
      const named = breaks.find((broken) => broken.rule === other.id);
      const { id: red, level: its, reason } = other;
      return { rule: red, level: its, reason, necessity: named?.reason ?? null };
    }),
    undecided: others.filter(isUndecided).map((other) => other.id),
    durationMs,
  };
}

/** Verdicts of the checker on a side with nothing broken; all undecided if the checker crashed. */
export function soundOf(side: Side, trials: readonly Trial[], answer: TaskAnswer): SoundSubject {
  if (!answer.ok) {
    const undecided = trials.map(({ rule }) => rule.id);
    return { side, red: [], undecided, problem: answer.message };
  }
  const idsOf = (some: readonly Outcome[]): string[] => some.map(({ id }) => id);
  return {
    side,
    red: idsOf(answer.outcomes.filter(isRed)),
    undecided: idsOf(answer.outcomes.filter(isUndecided)),
  };
}

/** Rules of a row that failed without necessity. */
export function falselyAccused({ alsoRed }: SelfcheckRow): readonly AlsoRed[] {
  return alsoRed.filter(({ necessity }) => necessity === null);
}
