import { type Judgement, pass, violated } from '../../../verdict.ts';
import {
  type BaseRequest,
  type Check,
  type CheckContext,
  type Needs,
  type Place,
  placeOn,
  roomOn,
  type Setting,
  spendingOf,
  times,
} from '../../contract/check.ts';
import { answered } from '../../contract/judge.ts';
import { type Answer, describeAnswer, type Expects, type Fields } from '../../contract/messages.ts';
import { partId, placesLike } from '../../contract/parts.ts';
import { isRoomy } from '../../contract/target.ts';
import { checkOf } from '../../contract/templates.ts';
import { type Carrier, freshCarrier, ownCarrier } from './carrier.ts';
import { isDocumentedText } from './documented-text.ts';
import { isOrdinary, isSameRefusal, notSigned } from './likeness.ts';
import { judgeMetered, undecided } from './metered-step.ts';
import {
  applicable,
  EXTRA,
  merged,
  NO_FIELD_TO_ADD,
  namesOf,
  type Step,
  sorted,
  type Witness,
  wordsOf,
} from './witness.ts';

/**
 * A check of one step of the signature: signed by the rules, requests with its witnesses must be
 * accepted. Where requests are free, it runs on each kind of token request, and on the query of a
 * user's estimate.
 *
 * @param shared checks and further parts for a metered target that show several steps, perhaps this one
 */
export function stepCheck(
  step: Step,
  shared: { readonly checks: readonly Check[]; readonly parts: readonly Check[] },
): Check {
  const { rule, acceptance, priority, together, apart = [], inQuery = [] } = step;
  const of = (some: readonly Check[]): Check[] => some.filter(({ rules }) => rules.includes(rule));
  const missing: Needs['missing'] = ({ tokenFields, metered }) => {
    if (metered && step.metered === 0) return 'left to the well-formed requests of other checks';
    return applicable([...together, ...apart], tokenFields).length > 0
      ? undefined
      : NO_FIELD_TO_ADD;
  };
  const common = { rule, acceptance, priority } as const;
  const part = (place: Place): Check => {
    const { baseRequest: base, setting } = place;
    const check = checkOf({
      ...common,
      ...place,
      needs: base === 'platform' ? { missing } : undefined,
      spends: () => times(spendingOf(base), roomOn(base) ?? 0),
      run: (ctx) => judgeOn(ctx, step, base, setting),
    });
    return base === 'platform' ? check : { ...check, id: partId(rule, place) };
  };
  const metered = checkOf({
    ...common,
    baseRequest: 'platform',
    needs: { missing },
    spends: { platform: step.metered },
    run: (ctx) => judgeMetered(ctx, step),
  });
  return {
    ...metered,
    parts: (facts) => {
      const { shapes, tokenFields, estimateFields } = facts;
      const ofQuery =
        applicable(inQuery, estimateFields).length > 0 ? [part(placeOn('user-estimate'))] : [];
      if (facts.metered) {
        const isShared = tokenFields === 'all' && step.metered > 0 && isRoomy(facts);
        return [...(isShared ? of(shared.checks) : [metered]), ...ofQuery, ...of(shared.parts)];
      }
      const ofTokens = placesLike('platform', shapes)
        .filter(({ setting }) => !setting.withScope)
        .filter(({ baseRequest }) =>
          baseRequest === 'platform'
            ? missing(facts) === undefined
            : applicable(together, tokenFields).length > 0,
        )
        .map(part);
      const parts = [...ofTokens, ...ofQuery];
      return parts.length > 0 ? parts : [part(placeOn('platform'))];
    },
  };
}

/** Sends all witnesses on one base request, and finds out why one is refused. */
async function judgeOn(
  ctx: CheckContext,
  step: Step,
  base: BaseRequest,
  setting: Setting,
): Promise<Judgement> {
  const { together, apart = [], inQuery = [], arrange = sorted } = step;
  const isQuery = base === 'user-estimate';
  const signed = isQuery ? ctx.facts.estimateFields : ctx.facts.tokenFields;
  const first = applicable(isQuery ? inQuery : together, signed);
  const single = base === 'platform' ? applicable(apart, signed).map((one) => [one]) : [];
  const own = ownCarrier(ctx, base);
  const fresh = (): Promise<Carrier> => freshCarrier(ctx, base, setting);
  const accepted: Witness[] = [];
  const doubts: string[] = [];
  for (const group of [first, ...single].filter(({ length }) => length > 0)) {
    const pairs = arrange(own.pairs(merged(group.map(({ fields }) => fields))));
    const answer = answered(await own.send(`positive: ${namesOf(group)}`, pairs));
    if (answer.outcome === 'accepted') {
      accepted.push(...group);
      continue;
    }
    for (const witness of group) {
      const found = await judgeRefused(ctx, witness, step, fresh);
      if (found === null) accepted.push(witness);
      else if (typeof found === 'string') doubts.push(found);
      else return found;
    }
  }
  if (accepted.length === 0) return undecided(ctx, doubts);
  const breach =
    base === 'platform' ? await acceptedOtherwise(ctx, step, own, fresh, accepted) : null;
  const notShown = doubts.length > 0 ? `; not determined: ${doubts.join('; ')}` : '';
  return breach ?? pass(`accepted, signed by the rules: ${namesOf(accepted)}${notShown}`);
}

/** Requests that are compared with a refused witness: a target may refuse some of all requests. */
const COMPARED = 8;

/**
 * Judges one witness by itself: null if it is accepted, a text if its refusal proves nothing. Each
 * request goes as a fresh partner.
 */
async function judgeRefused(
  ctx: CheckContext,
  { what, fields, neutral, plain = { [EXTRA]: 'text' }, otherReadings = [] }: Witness,
  { arrange = sorted }: Step,
  fresh: () => Promise<Carrier>,
): Promise<Judgement | string | null> {
  const send = async (
    purpose: string,
    changes: Fields,
    inOrder: (pairs: Fields) => Fields,
    textOf?: (pairs: Fields) => string,
    expects?: Expects,
  ): Promise<Answer> => {
    const carrier = await fresh();
    const pairs = inOrder(carrier.pairs(changes));
    return answered(await carrier.send(purpose, pairs, textOf?.(pairs), expects));
  };
  const refused = await send(`positive: ${what}`, fields, arrange);
  if (refused.outcome === 'accepted') return null;
  const expected = `status 200 for a request with ${what}, signed by the rules`;
  const got = `it is refused with status ${refused.status}`;
  let isComparable = neutral === null;
  if (neutral !== null) {
    const compared = await send(`baseline: ${wordsOf(neutral)} in its place`, neutral, sorted);
    if (compared.outcome === 'accepted') {
      const how = await readingAccepted();
      const doubt =
        how === null ? ((await otherCause(neutral)) ?? (await atRandom(neutral))) : null;
      if (doubt !== null)
        return `a request with ${what} was refused (${describeAnswer(refused)}), ${doubt}`;
      const why = how === null ? `while ${wordsOf(neutral)} is accepted` : `and ${how}`;
      return violated(expected, `${got}, ${why}`, refused.exchange);
    }
    const simple = await send(`baseline: ${wordsOf(plain)} in its place`, plain, sorted);
    isComparable = simple.outcome === 'accepted';
  }
  const how = isComparable ? await readingAccepted() : null;
  if (how !== null) return violated(expected, `${got}, and ${how}`, refused.exchange);
  const compared = neutral === null ? 'signed otherwise too' : `and so was ${wordsOf(neutral)}`;
  return `a request with ${what} was refused (${describeAnswer(refused)}), ${compared}: the target may refuse such a field, or leave it out of its signature (then list the signed fields in the profile)`;

  /**
   * Reason to doubt that it is refused for its signature; null if there is none. A target may refuse
   * such a value for itself: then it refuses it otherwise than a wrong signature.
   */
  async function otherCause(replaced: Fields): Promise<string | null> {
    const { pairs, sendUnsigned } = await fresh();
    if (sendUnsigned) {
      const answer = await sendUnsigned(`the same, without a signature: ${what}`, pairs(fields));
      if (answered(answer).outcome === 'refused') return 'and so it was without a signature';
    }
    const purpose = `the same, signed at random: ${wordsOf(replaced)}`;
    const unsigned = await send(purpose, replaced, sorted, () => ctx.random.hex(32));
    if (!isSameRefusal(refused, unsigned)) return notSigned(unsigned);
    if (sendUnsigned) return null;
    if (isOrdinary(fields)) return null;
    const short = { ...replaced, nostr: ctx.random.nostr(5) };
    const other = await send(
      'negative: a nostr of 5 characters',
      short,
      sorted,
      undefined,
      'refused',
    );
    return isSameRefusal(refused, other)
      ? 'as is a request with a short nostr: the target may refuse such a value for itself'
      : null;
  }

  /** Reason to doubt that only this witness is refused; null if what is compared never is. */
  async function atRandom(replaced: Fields): Promise<string | null> {
    for (let time = 2; time <= COMPARED; time++) {
      const again = await send(`baseline: ${wordsOf(replaced)} again`, replaced, sorted);
      if (again.outcome !== 'accepted')
        return `and so was ${wordsOf(replaced)}, number ${time}: the target refuses at random`;
    }
    return null;
  }

  /** The first other reading that is accepted, in words; null if there is none. */
  async function readingAccepted(): Promise<string | null> {
    for (const [name, textOf] of otherReadings) {
      const answer = await send(`the same, signed ${name}`, fields, arrange, textOf);
      if (answer.outcome === 'accepted') return `accepted when signed ${name}`;
    }
    return null;
  }
}

/** Requests of a step that must be refused, signed by another reading of it. */
const MOST_NEGATIVES = 4;

/** Times that an acceptance is repeated before it counts: a target may accept some of all signatures. */
const REPEATED = 3;

/**
 * Signs accepted witnesses by other readings: a violation if one is accepted too, unless any
 * signature is. A reading that leaves a field out is one of `signature/covers-fields`.
 */
async function acceptedOtherwise(
  ctx: CheckContext,
  { arrange = sorted }: Step,
  own: Carrier,
  fresh: () => Promise<Carrier>,
  witnesses: readonly Witness[],
): Promise<Judgement | null> {
  const readings = witnesses.flatMap((witness) =>
    (witness.otherReadings ?? []).map((reading) => ({ ...witness, reading })),
  );
  let sent = 0;
  for (const { what, fields, reading } of readings) {
    const [how, textOf] = reading;
    const pairs = arrange(own.pairs(fields));
    const text = textOf(pairs);
    if (sent === MOST_NEGATIVES) break;
    const isLeftOut = Object.keys(fields).some((name) => !text.includes(name.trim()));
    if (isLeftOut || isDocumentedText(ctx, pairs, text)) continue;
    sent++;
    const answer = await own.send(`negative: ${what}, signed ${how}`, pairs, text);
    if (answer.outcome !== 'accepted') continue;
    if (!(await isRepeated(`${what}, signed ${how}`, textOf))) return null;
    if (await isRepeated(`${what}, signed at random`, () => ctx.random.hex(32))) return null;
    const expected = `a refusal of a request with ${what}, signed ${how}`;
    return violated(expected, `it is accepted with status ${answer.status}`, answer.exchange);

    async function isRepeated(purpose: string, otherText: typeof textOf): Promise<boolean> {
      for (let time = 1; time <= REPEATED; time++) {
        const carrier = await fresh();
        const again = arrange(carrier.pairs(fields));
        const { outcome } = await carrier.send(purpose, again, otherText(again));
        if (outcome !== 'accepted') return false;
      }
      return true;
    }
  }
  return null;
}
