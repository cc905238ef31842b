import { z } from 'zod';
import type { Exchange } from './exchange.ts';
import { type DocumentOf, list, text } from './fields.ts';
import { isBroken, type RuleVerdict, ruleVerdictSchema } from './rule-verdict.ts';
import type { ScenarioResult } from './scenario.ts';

const verdictOrNone = (description: string) =>
  ruleVerdictSchema.nullable().meta({ description: `${description}; null if it has none.` });

const changeSchema = z.object({
  rule: text('Id of the rule; of a scenario `scenario NAME`.'),
  before: verdictOrNone('Verdict of the earlier run'),
  after: verdictOrNone('Verdict of the later run'),
  reason: text(
    'Reason of the verdict of the later run, or of the earlier one where that has none.',
  ),
});

const changes = (description: string) => list(description, changeSchema);

/** Fields of a document that say what has changed between two runs. */
export const changeFields = {
  fixed: changes('Rules that were broken or waived, and pass.'),
  newlyBroken: changes(
    'Rules that are broken or waived, and were neither; and those that were waived, and are broken.',
  ),
  newlyTried: changes(
    'Rules that are broken in a way that the earlier run had not tried, and were not broken; left out where there is none.',
  ).optional(),
  stillBroken: changes('Rules that were broken or waived before too.'),
  noLongerJudged: changes(
    'Rules that were judged and are not; of those that the later run left out, the broken ones.',
  ),
};

/** The rules whose verdict a reader has to know of, by what has become of them. */
export type RuleChanges = DocumentOf<z.ZodObject<typeof changeFields>>;

/** Verdict of a rule in two runs. */
export type RuleChange = RuleChanges['fixed'][number];

/** Kind of a change. */
export type ChangeKind = keyof Required<RuleChanges>;

/** Verdicts of a run, and the requests by which they came. */
export interface RunOutcomes {
  readonly rules: readonly Outcome[];
  readonly exchanges?: readonly Pick<Exchange, 'id' | 'part'>[] | undefined;
  /** Scenarios of a certification; only those are compared whose verdict is one of a rule. */
  readonly scenarios?:
    | readonly Pick<ScenarioResult, 'name' | 'verdict' | 'reason' | 'missing'>[]
    | undefined;
}

interface Outcome {
  readonly id: string;
  readonly verdict: RuleVerdict;
  readonly reason: string;
  /** Id of the exchange that shows that it is broken. */
  readonly shownBy?: string | undefined;
}

/** Sorts the rules of two runs by what has become of them; in the order of the later run. */
export function ruleChanges(earlier: RunOutcomes, later: RunOutcomes): RuleChanges {
  const before = outcomesOf(earlier);
  const after = outcomesOf(later);
  const isUntried = untriedIn(earlier, later);
  const found: { readonly [Kind in ChangeKind]: RuleChange[] } = {
    fixed: [],
    newlyBroken: [],
    newlyTried: [],
    stillBroken: [],
    noLongerJudged: [],
  };
  for (const id of new Set([...after.keys(), ...before.keys()])) {
    const [was, is] = [before.get(id), after.get(id)];
    const judged = kindOf(was?.verdict ?? null, is?.verdict ?? null);
    if (judged === null) continue;
    const isNewWay =
      judged === 'newlyBroken' && was?.verdict !== 'waived' && isUntried(id, is?.shownBy);
    const kind = isNewWay ? 'newlyTried' : judged;
    const reason = (is ?? was)?.reason ?? '';
    found[kind].push({
      rule: id,
      before: was?.verdict ?? null,
      after: is?.verdict ?? null,
      reason,
    });
  }
  const { newlyTried, ...others } = found;
  return newlyTried.length > 0 ? found : others;
}

/**
 * Makes a check of whether a rule is broken in a way of its own that an earlier run had not tried: a part of its check
 * of which that run sent nothing. A rule that any answer may break has no such ways.
 */
function untriedIn(
  { exchanges: before }: RunOutcomes,
  { exchanges = [] }: RunOutcomes,
): (rule: string, shownBy?: string) => boolean {
  const sent = new Set(before?.map(({ part }) => part?.check));
  const checks = new Map(exchanges.map(({ id, part }) => [id, part?.check]));
  return (rule, shownBy = '') => {
    const check = checks.get(shownBy) ?? '';
    // Parts of a check add to its id, as in `RULE@user` and `RULE:2`.
    return before !== undefined && /^[^@:]*/.exec(check)?.[0] === rule && !sent.has(check);
  };
}

function outcomesOf({ rules, scenarios = [] }: RunOutcomes): ReadonlyMap<string, Outcome> {
  const ofScenarios = scenarios.flatMap(({ name, verdict, reason, missing }) => {
    const known = ruleVerdictSchema.safeParse(verdict).data;
    if (known === undefined) return [];
    const why = [...(reason === undefined ? [] : [reason]), ...missing].join('; ');
    return [{ id: `scenario ${name}`, verdict: known, reason: why }];
  });
  return new Map([...rules, ...ofScenarios].map((one) => [one.id, one]));
}

const fails = (verdict: RuleVerdict | null): boolean => verdict === 'fail' || verdict === 'warn';

const violates = (verdict: RuleVerdict | null): boolean => isBroken({ verdict });

function kindOf(before: RuleVerdict | null, after: RuleVerdict | null): ChangeKind | null {
  if (violates(after)) {
    const isKnown = fails(before) || (before === 'waived' && after === 'waived');
    return isKnown ? 'stillBroken' : 'newlyBroken';
  }
  if (after === 'pass') return violates(before) ? 'fixed' : null;
  const isLeftOut = after === 'excluded' || after === null;
  const wasJudged = violates(before) || (before === 'pass' && !isLeftOut);
  return wasJudged ? 'noLongerJudged' : null;
}
