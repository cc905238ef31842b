import type { Mistake } from '../../../signature/recipe.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { CheckContext, Finding, Place } from '../../contract/check.ts';
import { answered, doubtBaseline } from '../../contract/judge.ts';
import {
  type Answer,
  describeAnswer,
  type Expects,
  type Fields,
  type TokenAnswer,
} from '../../contract/messages.ts';
import { carrierOn, isRefusedUnsigned } from './carrier.ts';
import { isOrdinary, isSameRefusal, notSigned } from './likeness.ts';
import { otherTextOf, textWithout } from './other-text.ts';
import { fieldsOf, namesOf, type Shown } from './step-groups.ts';
import { refusesAllAlike } from './uniform-refusals.ts';
import { EXTRA, merged, sorted, wordsOf } from './witness.ts';

/** Requests by which refusals are explained. */
export interface Budget {
  readonly place: Place;
  /** Most requests; `Infinity` where they are free. */
  readonly most: number;
  /** Refusals of what a step shows before it is blamed: a target may refuse one in ten by chance. */
  readonly leastRefusals: number;
  /** Readings of a refused witness that others have tried, in pairs. */
  readonly begins?: number;
}

/** Findings by rule, and all that was accepted. */
export interface Judged {
  readonly findings: Readonly<Record<string, Finding>>;
  readonly accepted: readonly Shown[];
}

/** Part of a refused request that is suspected, and the smallest request with it that was refused. */
interface Suspect {
  readonly one: Shown;
  readonly sent: readonly Shown[];
  readonly refused: Answer;
}

/** Changes of a request that shows steps. */
interface Changes {
  readonly purpose?: string;
  /** Values without what is at stake. */
  readonly neutral?: Fields;
  /** Signed by another reading, at random, or without what the request has more than others. */
  readonly reading?: Mistake | 'random' | 'without-further';
  readonly expects?: Expects;
}

/** Requests that are compared with a refused one where they are free: a target may refuse some of all. */
const COMPARED = 8;

/** Readings of a witness that are its own. */
const FEW_READINGS = 2;

/**
 * Judges what is shown by one request for each group, signed by the rules. A refused one is traced to a part of
 * it: where requests are free, each part goes again by itself; otherwise half of them, until one is left. Then
 * the request goes again with neutral values for that part, and signed by other readings.
 */
export async function judgeShown(
  ctx: CheckContext,
  groups: readonly (readonly Shown[])[],
  { place, most, leastRefusals, begins = 0 }: Budget,
): Promise<Judged> {
  const isFree = most === Number.POSITIVE_INFINITY;
  const ofQuery = place.baseRequest === 'user-estimate';
  const accepted = new Set<Shown>();
  const found = new Map<Shown, Finding | string>();
  const refusals: (readonly Shown[])[] = [];
  let requests = 0;
  let ofAccepted: string | null = null;
  let isTraced = false;
  let isLater = false;
  let refusesFurther: string | null = null;

  const unaccepted: (readonly [readonly Shown[], Answer])[] = [];
  for (const group of groups) {
    if (group.length === 0) continue;
    isLater = group !== groups[0];
    const answer = await send(group);
    if (answer.outcome !== 'accepted') unaccepted.push([group, answer]);
  }
  isTraced = true;
  for (const [group, refused] of isFree ? unaccepted : unaccepted.slice(0, 1)) {
    isLater = group !== groups[0];
    const suspects = isFree ? await eachRefused(group) : [await halved(group, refused)];
    for (const suspect of suspects) {
      const finding = await judgeSuspect(suspect);
      found.set(suspect.one, finding);
      const rest = group.filter((one) => one !== suspect.one);
      if (!isFree && rest.some((one) => !accepted.has(one)) && requests < most) await send(rest);
      if (typeof finding !== 'string') return judged();
    }
  }
  return judged();

  function judged(): Judged {
    const findings: Record<string, Finding> = {};
    for (const { step } of groups.flat()) findings[step.rule] ??= ofRule(step.rule);
    return { findings, accepted: [...accepted] };
  }

  function ofRule(rule: string): Finding {
    const shown = groups.flat().filter(({ step }) => step.rule === rule);
    const doubts: string[] = [];
    for (const one of shown) {
      const finding = found.get(one);
      if (typeof finding === 'string') doubts.push(finding);
      else if (finding) return finding;
    }
    const doubt = doubts.join('; ');
    const good = shown.filter((one) => accepted.has(one));
    const [[, refused] = []] = unaccepted;
    if (refused && shown.some((one) => !accepted.has(one) && !found.has(one)))
      return inconclusive(
        `a request that shows several steps was refused (${describeAnswer(refused)})`,
      );
    if (good.length === 0 || (doubt !== '' && !isFree))
      return refusesFurther !== null || ctx.facts.tokenFields !== 'all'
        ? untestable(refusesFurther ?? doubt)
        : inconclusive(doubt);
    const notShown = doubt === '' ? '' : `; not determined: ${doubt}`;
    return pass(`accepted, signed by the rules: ${namesOf(good)}${notShown}`);
  }

  async function send(
    some: readonly Shown[],
    { purpose = 'positive', neutral, reading, expects }: Changes = {},
  ): Promise<Answer> {
    requests++;
    const carrier = await carrierOn(ctx, place, isFree && isTraced);
    const isScoped = isLater && !isFree && place.baseRequest === 'platform';
    const scope = isScoped ? { scope: 'public' } : {};
    const pairs = arrangeOf(some)(carrier.pairs({ ...scope, ...neutral, ...fieldsOf(some) }));
    const rules = [...new Set(some.map(({ step }) => step.rule.split('/')[1]))];
    const shown = rules.length > 1 ? `steps of the signature: ${rules.join(', ')}` : namesOf(some);
    const what = [shown, neutral ? wordsOf(neutral) : ''].filter((one) => one !== '').join('; ');
    const signedText =
      reading === 'random'
        ? ctx.random.hex(32)
        : reading === 'without-further'
          ? textWithout(ctx, pairs, { ...neutral, ...fieldsOf(some) })
          : reading && (otherTextOf(ctx, pairs, reading, ofQuery) ?? undefined);
    const answer = answered(await carrier.send(`${purpose}: ${what}`, pairs, signedText, expects));
    if (answer.outcome === 'accepted') {
      for (const one of some) accepted.add(one);
      ofAccepted = 'accessToken' in answer ? (answer as TokenAnswer).accessToken : null;
    } else if (!neutral) refusals.push(some);
    return answer;
  }

  /** The parts of a group that are refused by themselves. */
  async function eachRefused(group: readonly Shown[]): Promise<Suspect[]> {
    const suspects: Suspect[] = [];
    for (const one of group) {
      const refused = await send([one]);
      if (refused.outcome !== 'accepted') suspects.push({ one, sent: [one], refused });
    }
    return suspects;
  }

  /** The part without which a refused request is accepted, if one is to blame. */
  async function halved(group: readonly Shown[], answer: Answer): Promise<Suspect> {
    let [some, sent, refused] = [group, group, answer];
    while (some.length > 1) {
      const half = some.slice(0, Math.ceil(some.length / 2));
      const ofHalf = await send(half);
      const isAccepted = ofHalf.outcome === 'accepted';
      if (isAccepted) some = some.slice(half.length);
      else [some, sent, refused] = [half, half, ofHalf];
    }
    return { one: some[0] as Shown, sent, refused };
  }

  /** The violation that a suspect shows, or the reason why its refusal shows none. */
  async function judgeSuspect({ one, sent, refused }: Suspect): Promise<Finding | string> {
    const { step, witnesses } = one;
    const what = namesOf([one]);
    const others = sent.filter((other) => other !== one);
    const own = witnesses.map(({ neutral }) => neutral);
    const neutral = own.every((fields) => fields === null)
      ? null
      : (own.length > 1 && step.neutral) || merged(own);
    const blamed = (why: string): Judgement =>
      violated(
        `status 200 for a request with ${what}, signed by the rules`,
        `a correctly signed request with ${what} got ${refused.status}; ${why}`,
        refused.exchange,
      );
    const doubted = (why: string): string =>
      `a request with ${what} was refused (${describeAnswer(refused)}), ${why}`;

    const isCompared = neutral !== null && (await isAcceptedWith(neutral));
    const plain = witnesses[0]?.plain ?? { [EXTRA]: 'text' };
    const isSigned = isCompared || neutral === null || !isFree || (await isAcceptedWith(plain));
    const accepting = isSigned && (isFree || !isCompared) ? await readingAccepted() : null;
    if (accepting !== null) return blamed(`the same request with ${accepting} was accepted`);
    if (!isSigned && !(await isAcceptedWith(plain, 'without-further'))) {
      refusesFurther ??= `the target refuses fields that it does not know: ${wordsOf(plain)} was refused too, with and without it in the signature`;
      return doubted(refusesFurther);
    }
    if (!isCompared) {
      const also = neutral === null ? 'signed otherwise too' : `and so was ${wordsOf(neutral)}`;
      return doubted(
        `${also}: the target may refuse such a field, or leave it out of its signature (then list the signed fields in the profile)`,
      );
    }
    const doubt = (await otherCause(neutral)) ?? (await chance(neutral));
    if (doubt !== null) return doubted(doubt);
    const blame = blamed(`${wordsOf(neutral)} was accepted`);
    if (isFree) return blame;
    return (baseline) => {
      const unproven = ctx.opening ? doubtBaseline(baseline) : null;
      return unproven === null ? blame : inconclusive(unproven);
    };

    async function isAcceptedWith(values: Fields, reading?: 'without-further'): Promise<boolean> {
      const answer = await send(others, {
        purpose: 'baseline',
        neutral: values,
        ...(reading && { reading }),
      });
      return answer.outcome === 'accepted';
    }

    /**
     * Reason to doubt that it is refused for its signature; null if there is none. A target may refuse
     * such a value for itself: then it refuses it otherwise than a wrong signature.
     */
    async function otherCause(values: Fields): Promise<string | null> {
      if (ofQuery && (await isRefusedUnsigned(ctx, what, fieldsOf([one]))))
        return 'and so it was without a signature';
      const purpose = 'the same, signed at random';
      const unsigned = await send(others, { purpose, neutral: values, reading: 'random' });
      if (!isSameRefusal(refused, unsigned)) return notSigned(unsigned);
      if (ofQuery || witnesses.every(({ fields }) => isOrdinary(fields))) return null;
      return (await isAnythingAlike(values))
        ? 'as is anything else: the target may refuse such a value for itself'
        : null;
    }

    /** Checks whether the target refuses otherwise wrong requests alike. */
    async function isAnythingAlike(values: Fields): Promise<boolean> {
      if (!isFree)
        return refusesAllAlike(ctx, place.baseRequest === 'standalone' ? ofAccepted : null);
      const short = {
        purpose: 'negative: a nostr of 5 characters',
        neutral: { ...values, nostr: ctx.random.nostr(5) },
        expects: 'refused',
      } as const;
      return isSameRefusal(refused, await send(others, short));
    }

    /** Reason to take its refusal for one of some that come at random; null if there is none. */
    async function chance(values: Fields): Promise<string | null> {
      const compared = isFree ? COMPARED : 1;
      for (let time = 2; time <= compared; time++) {
        if (!(await isAcceptedWith(values)))
          return `and so was ${wordsOf(values)}, number ${time}: the target refuses at random`;
      }
      if (refusals.filter((some) => some.includes(one)).length >= leastRefusals) return null;
      if (requests >= most) return 'once, and no other could be sent';
      return (await send(sent)).outcome === 'accepted' ? 'and not when it was sent again' : null;
    }

    /**
     * Another reading in words, if a request signed by it is accepted: as many as there is room for, others on
     * each place. Witnesses of few readings have to be told apart before.
     */
    async function readingAccepted(): Promise<string | null> {
      const alike = witnesses.find(({ otherReadings = [] }) => otherReadings.length > FEW_READINGS);
      let some = alike ? [alike] : witnesses;
      while (some.length > 1 && requests < most - 1) {
        const half = some.slice(0, Math.ceil(some.length / 2));
        const { outcome } = await send([{ step, witnesses: half }]);
        some = outcome === 'accepted' ? some.slice(half.length) : half;
      }
      const [first] = some;
      const [likely, ...further] = first?.otherReadings ?? [];
      if (!first || !likely) return null;
      for (const reading of new Set([likely, ...further.slice(begins * 2), ...further])) {
        if (requests >= most) return null;
        // Signed by the rules, it would show that what is refused is the longer request.
        const base = ofQuery ? ctx.query(first.fields as Record<string, string>) : null;
        const pairs = arrangeOf([one])(base ?? ctx.platform(first.fields));
        if (otherTextOf(ctx, pairs, reading, ofQuery) === null) continue;
        const how = `a signature that ${reading.statement}`;
        const shown = [{ step, witnesses: [first] }];
        const answer = await send(shown, { purpose: `with ${how}`, reading });
        if (answer.outcome === 'accepted') return how;
      }
      return null;
    }
  }
}

/** Order of the fields of a request. */
const arrangeOf = (some: readonly Shown[]): ((fields: Fields) => Fields) =>
  some.find(({ step }) => step.arrange)?.step.arrange ?? sorted;
