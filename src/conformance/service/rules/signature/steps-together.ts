import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import {
  type BaseRequest,
  type Check,
  type CheckContext,
  type Finding,
  placeOn,
  type Setting,
  spendingOf,
  standalone,
  times,
} from '../../contract/check.ts';
import { answered, doubtBaseline } from '../../contract/judge.ts';
import {
  type Answer,
  describeAnswer,
  type Fields,
  type TokenAnswer,
} from '../../contract/messages.ts';
import { partId } from '../../contract/parts.ts';
import type { SignedFields } from '../../contract/target.ts';
import { type Carrier, ownCarrier, sendAs } from './carrier.ts';
import { isDocumentedText } from './documented-text.ts';
import { isOrdinary, isSameRefusal, notSigned } from './likeness.ts';
import { fieldsOf, groupsOf, type Shown } from './step-groups.ts';
import { refusesAllAlike } from './uniform-refusals.ts';
import {
  merged,
  NO_FIELD_TO_ADD,
  namesOf,
  type Step,
  sorted,
  type Witness,
  wordsOf,
} from './witness.ts';

/** Sends a token request as a carrier; each takes what it needs anew. */
type NextCarrier = () => Promise<Carrier>;

/** Options of {@link judgeTogether}. */
interface Options {
  /** Token requests that it may send. */
  readonly most: number;
  /** Readings of a refused witness that others have tried, in pairs. */
  readonly begins: number;
  /** True if its requests get a user's token. */
  readonly isOfUser: boolean;
  /** True if the later groups name the scope `public`. */
  readonly scoped: boolean;
}

/** Refusals of what a step shows before it is blamed: a target may refuse one in ten by chance. */
const LEAST_REFUSALS = 2;

/** Readings of a witness that are its own. */
const FEW_READINGS = 2;

/**
 * Judges several steps by one request for each group of witnesses. The first that is refused is traced to
 * one step: half of the steps go again, until one is left; then the refused request goes again with
 * neutral values for it.
 *
 */
async function judgeTogether(
  ctx: CheckContext,
  groups: readonly (readonly Shown[])[],
  next: NextCarrier,
  { most, begins, scoped, isOfUser }: Options,
): Promise<Record<string, Finding>> {
  const shown = groups.flat();
  const accepted = new Set<Shown>();
  const refusals: (readonly Shown[])[] = [];
  let requests = 0;
  let ofAccepted: string | null = null;
  const send = async (some: readonly Shown[], more: More = {}): Promise<Answer> => {
    requests++;
    const carrier = await next();
    const arrange = some.find(({ step }) => step.arrange)?.step.arrange ?? sorted;
    const isLater = scoped && !some.some((one) => groups[0]?.includes(one));
    const scope = isLater ? { scope: 'public' } : {};
    const pairs = arrange(carrier.pairs({ ...scope, ...more.neutral, ...fieldsOf(some) }));
    const steps = [...new Set(some.map(({ step }) => step.rule.split('/')[1]))].join(', ');
    const what = more.neutral ? `${steps}; ${wordsOf(more.neutral)}` : steps;
    const how = more.signedText === undefined ? 'positive' : 'the same, signed at random';
    const purpose = `${how}: steps of the signature: ${what}`;
    const answer = answered(await carrier.send(purpose, pairs, more.signedText));
    if (answer.outcome === 'refused' && more.neutral === undefined) refusals.push(some);
    if (answer.outcome === 'accepted') {
      for (const one of some) accepted.add(one);
      ofAccepted = 'accessToken' in answer ? (answer as TokenAnswer).accessToken : null;
    }
    return answer;
  };
  const found = (doubt: string, broken?: readonly [Shown, Finding]): Record<string, Finding> => {
    const ofOne = (one: Shown): Finding => {
      if (broken?.[0] === one) return broken[1];
      const words = `accepted, signed by the rules: ${namesOf(one.witnesses)}`;
      return accepted.has(one) ? pass(words) : inconclusive(doubt);
    };
    const rules = [...new Set(shown.map(({ step }) => step.rule))];
    return Object.fromEntries(
      rules.map((rule) => {
        const ofRule = shown.filter(({ step }) => step.rule === rule);
        const undecided = ofRule.find((one) => !accepted.has(one));
        const decisive = ofRule.find((one) => broken?.[0] === one) ?? undecided ?? ofRule[0];
        return [rule, decisive ? ofOne(decisive) : inconclusive(doubt)];
      }),
    );
  };

  const answers: [readonly Shown[], Answer][] = [];
  for (const group of groups) answers.push([group, await send(group)]);
  const unaccepted = answers.find(([, { outcome }]) => outcome !== 'accepted');
  if (!unaccepted) return found('');
  let [sent, refused] = unaccepted;
  const [whole] = unaccepted;
  const doubt = `a request that shows several steps was refused (${describeAnswer(refused)})`;
  let suspects = whole;
  while (suspects.length > 1) {
    const half = suspects.slice(0, Math.ceil(suspects.length / 2));
    const answer = await send(half);
    const isAccepted = answer.outcome === 'accepted';
    suspects = isAccepted ? suspects.slice(half.length) : half;
    if (isAccepted) continue;
    refused = answer;
    sent = half;
  }
  const [suspect] = suspects;
  if (!suspect) return found(doubt);
  const finding = await judgeSuspect(suspect);
  const rest = whole.filter((one) => one !== suspect);
  if (rest.some((one) => !accepted.has(one)) && requests < most) await send(rest);
  return found(doubt, [suspect, finding]);

  /** Judges the step without which the refused request is accepted. */
  async function judgeSuspect(one: Shown): Promise<Finding> {
    const { step, witnesses } = one;
    const what = namesOf(witnesses);
    const expected = `status 200 for a request with ${what}, signed by the rules`;
    const got = `it is refused with status ${refused.status}`;
    const others = sent.filter((other) => other !== one);
    const neutral = witnesses.every((witness) => witness.neutral === null)
      ? null
      : (step.neutral ?? merged(witnesses.map((witness) => witness.neutral)));
    if (neutral === null || (await send(others, { neutral })).outcome !== 'accepted') {
      const how = await readingAccepted(witnesses);
      return how === null
        ? inconclusive(`${doubt}, and so were neutral values and another reading of ${what}`)
        : violated(expected, `${got}, and accepted when signed ${how}`, refused.exchange);
    }
    if (!witnesses.every(({ fields }) => isOrdinary(fields))) {
      const unsigned = await send(others, { neutral, signedText: ctx.random.hex(32) });
      if (!isSameRefusal(refused, unsigned))
        return inconclusive(
          `a request with ${what} was refused (${describeAnswer(refused)}), ${notSigned(unsigned)}`,
        );
      if (await refusesAllAlike(ctx, isOfUser ? ofAccepted : null))
        return inconclusive(
          `a request with ${what} was refused (${describeAnswer(refused)}), as is anything else: the target may refuse such a value for itself`,
        );
    }
    if (refusals.filter((some) => some.includes(one)).length < LEAST_REFUSALS) {
      const isAlone = `a request with ${what} was refused once (${describeAnswer(refused)})`;
      if (requests >= most) return inconclusive(`${isAlone}, and no other could be sent`);
      const again = await send(sent);
      if (again.outcome !== 'refused')
        return inconclusive(`${isAlone}, and not when it was sent again`);
    }
    return (baseline): Judgement => {
      const unproven = ctx.opening ? doubtBaseline(baseline) : null;
      if (unproven !== null) return inconclusive(unproven);
      const why = `while ${wordsOf(neutral)} in its place is accepted`;
      return violated(expected, `${got}, ${why}`, refused.exchange);
    };
  }

  /**
   * A reading in other words, if a request signed by it is accepted: as many readings as there is room for,
   * others on each carrier. Witnesses of one reading each have to be told apart before.
   */
  async function readingAccepted(witnesses: readonly Witness[]): Promise<string | null> {
    const alike = witnesses.find(({ otherReadings = [] }) => otherReadings.length > FEW_READINGS);
    let some = alike ? [alike] : witnesses;
    const hasRoom = (): boolean => requests < most - 1;
    while (some.length > 1 && hasRoom()) {
      const half = some.slice(0, Math.ceil(some.length / 2));
      const { step } = shown.find((one) => one.witnesses === witnesses) ?? {};
      const isAccepted = step && (await send([{ step, witnesses: half }])).outcome === 'accepted';
      some = isAccepted ? some.slice(half.length) : half;
    }
    const [first] = some;
    const [likely, ...further] = first?.otherReadings ?? [];
    const inTurn = new Set([...(likely ? [likely] : []), ...further.slice(begins * 2), ...further]);
    for (const [how, textOf] of inTurn) {
      if (!first || requests === most) return null;
      // Signed by the rules, it would show that what is refused is the longer request.
      const own = sorted(ownCarrier(ctx, 'platform').pairs(first.fields));
      if (isDocumentedText(ctx, own, textOf(own))) continue;
      requests++;
      const carrier = await next();
      const pairs = sorted(carrier.pairs(first.fields));
      const answer = await carrier.send(`${first.what}, signed ${how}`, pairs, textOf(pairs));
      if (answer.outcome === 'accepted') return how;
    }
    return null;
  }
}

/** Changes of a request that shows steps. */
interface More {
  /** Values without what is at stake in a step. */
  readonly neutral?: Fields;
  /** Signed in place of the pairs. */
  readonly signedText?: string;
}

/** A check that shows steps of the signature, in one request for each of some groups. */
function together(
  steps: readonly Step[],
  on: BaseRequest,
  options: {
    readonly setting?: Setting;
    readonly groups: readonly [from: number, to: number];
    readonly most: number;
    readonly begins: number;
  },
): Check {
  const { setting, groups, most, begins } = options;
  const names = steps.map(({ rule }) => rule.split('/')[1]).join('+');
  const shownTo = (signed: SignedFields): readonly (readonly Shown[])[] =>
    groupsOf(steps, signed).slice(...groups);
  return {
    id: `${partId('signature/steps', placeOn(on, setting), groups[0])}:${names}`,
    rules: steps.map(({ rule }) => rule),
    acceptance: Object.fromEntries(steps.map(({ rule, acceptance }) => [rule, acceptance])),
    places: [on === 'user' ? standalone('an exchange of an auth code') : placeOn(on, setting)],
    priority: { rank: 1 },
    spends: () => ({ ...times(spendingOf(on), most), ...(on === 'user' && { codes: most }) }),
    needs: {
      missing: ({ tokenFields }) => (shownTo(tokenFields).length > 0 ? undefined : NO_FIELD_TO_ADD),
    },
    run: async (ctx) => {
      const exchange: NextCarrier = async () => {
        const code = await ctx.authCode();
        return {
          pairs: (changes) => ctx.exchange(code, changes),
          send: sendAs(ctx),
        };
      };
      const own: NextCarrier = async () => ownCarrier(ctx, on);
      const shown = shownTo(ctx.facts.tokenFields);
      const left = steps.filter((step) => !shown.flat().some((one) => one.step === step));
      return {
        ...Object.fromEntries(left.map(({ rule }) => [rule, untestable(NO_FIELD_TO_ADD)])),
        ...(await judgeTogether(ctx, shown, on === 'user' ? exchange : own, {
          most,
          begins,
          scoped: on === 'platform',
          isOfUser: on === 'user',
        })),
      };
    },
  };
}

/** Requests that trace a refusal to one of all steps; with the baseline no more than a day's allowance. */
const MOST = { platform: 8, refresh: 8, 'refresh of user': 7 } as const;

/** The same for a few steps: a day's exchanges. */
const MOST_OF_FEW = 5;

/** Steps that one exchange shows. */
const IN_ONE_EXCHANGE = 3;

/** Check of a metered target whose signature covers all fields: it shows all steps by two requests. */
export const checksTogether = (steps: readonly Step[]): readonly Check[] => [
  together(steps, 'platform', { groups: [0, 2], most: MOST.platform, begins: 0 }),
];

/**
 * Further parts for a metered target: all steps in one refresh, of each lineage, and a few of them in each
 * of some exchanges, whose allowance is small. They reserve more than they are likely to spend.
 */
export function partsTogether(steps: readonly Step[]): readonly Check[] {
  const few = steps.flatMap((_one, at) =>
    at % IN_ONE_EXCHANGE === 0 ? [steps.slice(at, at + IN_ONE_EXCHANGE)] : [],
  );
  return [
    together(steps, 'refresh', { groups: [0, 2], most: MOST.refresh, begins: 1 }),
    together(steps, 'refresh', {
      setting: { ofUser: true },
      groups: [0, 1],
      most: MOST['refresh of user'],
      begins: 2,
    }),
    ...few.map((some) => together(some, 'user', { groups: [0, 1], most: MOST_OF_FEW, begins: 3 })),
    together(steps, 'platform', { groups: [2, 3], most: MOST_OF_FEW, begins: 4 }),
  ].map((part) => ({ ...part, priority: { stage: 'early', rank: 1 } }));
}
