import { untestable } from '../../../verdict.ts';
import {
  type Check,
  type CheckContext,
  type Finding,
  type Needs,
  type Place,
  placeOn,
  roomOn,
  spendingOf,
  standalone,
  times,
} from '../../contract/check.ts';
import { partId, placesLike } from '../../contract/parts.ts';
import { isRoomy, type SignedFields } from '../../contract/target.ts';
import { checkOf } from '../../contract/templates.ts';
import { acceptedOtherwise } from './accepted-otherwise.ts';
import { type Budget, judgeShown } from './explain-refusal.ts';
import { groupsOf, type Shown } from './step-groups.ts';
import { applicable, NO_FIELD_TO_ADD, type Step, type Witness } from './witness.ts';

/**
 * Checks of steps of the signature: signed by the rules, requests with their witnesses must be accepted. Where
 * requests are free, each step runs on each kind of token request, and on the query of a user's estimate. On
 * a metered target all steps share requests, if it has partners enough and signs all fields.
 *
 * @param inTurn the steps in the order in which exchanges show them
 */
export function stepChecks(steps: readonly Step[], inTurn: readonly Step[]): readonly Check[] {
  const shared = together(inTurn, placeOn('platform'), [0, 2], { most: 8 });
  const parts = partsTogether(inTurn);
  return steps.map((step) => {
    const { rule, together: all, apart = [], inQuery = [] } = step;
    const missing: Needs['missing'] = ({ tokenFields, metered }) => {
      if (metered && step.metered === 0) return 'left to the well-formed requests of other checks';
      return applicable([...all, ...apart], tokenFields).length > 0 ? undefined : NO_FIELD_TO_ADD;
    };
    const metered = meteredCheck(step, missing);
    const ofPlace = (place: Place): Check => freeCheck(step, place, missing);
    return {
      ...metered,
      parts: (facts) => {
        const { shapes, tokenFields, estimateFields } = facts;
        const ofQuery =
          applicable(inQuery, estimateFields).length > 0 ? [ofPlace(placeOn('user-estimate'))] : [];
        if (facts.metered) {
          const isShared = tokenFields === 'all' && step.metered > 0 && isRoomy(facts);
          const further = parts.filter(({ rules }) => rules.includes(rule));
          return [isShared ? shared : metered, ...ofQuery, ...further];
        }
        const ofTokens = placesLike('platform', shapes)
          .filter(({ setting }) => !setting.withScope)
          .filter(({ baseRequest }) =>
            baseRequest === 'platform'
              ? missing(facts) === undefined
              : applicable(all, tokenFields).length > 0,
          )
          .map(ofPlace);
        const some = [...ofTokens, ...ofQuery];
        return some.length > 0 ? some : [ofPlace(placeOn('platform'))];
      },
    };
  });
}

/** Each of some witnesses by itself. */
const alone = (step: Step, witnesses: readonly Witness[]): readonly Shown[] =>
  witnesses.map((one) => ({ step, witnesses: [one] }));

/** A check of one step where requests are free. */
function freeCheck(step: Step, place: Place, missing: Needs['missing']): Check {
  const { rule, acceptance, priority, together: all, apart = [], inQuery = [] } = step;
  const { baseRequest: base } = place;
  const check = checkOf({
    rule,
    acceptance,
    priority,
    ...place,
    needs: base === 'platform' ? { missing } : undefined,
    spends: () => times(spendingOf(base), roomOn(base) ?? 0),
    run: async (ctx) => {
      const { tokenFields, estimateFields } = ctx.facts;
      const group =
        base === 'user-estimate'
          ? applicable(inQuery, estimateFields)
          : applicable(all, tokenFields);
      const single = base === 'platform' ? applicable(apart, tokenFields) : [];
      const groups = [alone(step, group), ...single.map((one) => alone(step, [one]))];
      const { findings, accepted } = await judgeShown(ctx, groups, {
        place,
        most: Number.POSITIVE_INFINITY,
        leastRefusals: 1,
      });
      const { [rule]: finding = [] } = findings;
      const isPassed = 'verdict' in finding && finding.verdict === 'pass';
      if (base !== 'platform' || !isPassed) return findings;
      const witnesses = accepted.flatMap((one) => one.witnesses);
      return (await acceptedOtherwise(ctx, place, step, witnesses)) ?? findings;
    },
  });
  return base === 'platform' ? check : { ...check, id: partId(rule, place) };
}

/** A check of one step by two or three requests. */
function meteredCheck(step: Step, missing: Needs['missing']): Check {
  const { rule, acceptance, priority, together: all, apart = [], metered } = step;
  return checkOf({
    rule,
    acceptance,
    priority,
    baseRequest: 'platform',
    needs: { missing },
    spends: { platform: metered },
    run: async (ctx) => {
      const { tokenFields } = ctx.facts;
      const group = applicable(all, tokenFields);
      const witnesses = group.length > 0 ? group : applicable(apart, tokenFields).slice(0, 1);
      const budget = { place: placeOn('platform'), most: metered, leastRefusals: 1 };
      return (await judgeShown(ctx, [[{ step, witnesses }]], budget)).findings;
    },
  });
}

/** A check that shows steps of the signature, in one request for each of some groups. */
function together(
  steps: readonly Step[],
  place: Place,
  groups: readonly [from: number, to: number],
  budget: Pick<Budget, 'most' | 'begins'>,
): Check {
  const on = place.baseRequest;
  const names = steps.map(({ rule }) => rule.split('/')[1]).join('+');
  const spending = on === 'standalone' ? { user: 1, codes: 1 } : spendingOf(on);
  const shownTo = (signed: SignedFields): readonly (readonly Shown[])[] =>
    groupsOf(steps, signed).slice(...groups);
  return {
    id: `${partId('signature/steps', place, groups[0])}:${names}`,
    rules: steps.map(({ rule }) => rule),
    acceptance: Object.fromEntries(steps.map(({ rule, acceptance }) => [rule, acceptance])),
    places: [place],
    priority: { rank: 1 },
    spends: () => times(spending, budget.most),
    needs: {
      missing: ({ tokenFields }) =>
        shownTo(tokenFields).flat().length > 0 ? undefined : NO_FIELD_TO_ADD,
    },
    run: async (ctx: CheckContext): Promise<Readonly<Record<string, Finding>>> => {
      const shown = shownTo(ctx.facts.tokenFields);
      const { findings } = await judgeShown(ctx, shown, { ...budget, place, leastRefusals: 2 });
      const ofRule = (rule: string): Finding => findings[rule] ?? untestable(NO_FIELD_TO_ADD);
      return Object.fromEntries(steps.map(({ rule }) => [rule, ofRule(rule)]));
    },
  };
}

/** Steps that one exchange shows. */
const IN_ONE_EXCHANGE = 3;

/**
 * Further parts for a metered target: all steps in one refresh, of each lineage, and a few of them in each
 * of some exchanges, whose allowance is small. They reserve more than they are likely to spend; with the
 * baseline no more than a day's allowance.
 */
function partsTogether(steps: readonly Step[]): readonly Check[] {
  const few = steps.flatMap((_one, at) =>
    at % IN_ONE_EXCHANGE === 0 ? [steps.slice(at, at + IN_ONE_EXCHANGE)] : [],
  );
  const exchange = standalone('an exchange of an auth code');
  const refreshOfUser = placeOn('refresh', { ofUser: true });
  return [
    together(steps, placeOn('refresh'), [0, 2], { most: 8, begins: 1 }),
    together(steps, refreshOfUser, [0, 1], { most: 7, begins: 2 }),
    ...few.map((some) => together(some, exchange, [0, 1], { most: 5, begins: 3 })),
    together(steps, placeOn('platform'), [2, 3], { most: 5, begins: 4 }),
  ].map((part) => ({ ...part, priority: { stage: 'early', rank: 1 } }));
}
