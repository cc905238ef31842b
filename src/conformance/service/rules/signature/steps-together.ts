import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import {
  type BaseRequest,
  type Check,
  type CheckContext,
  type Finding,
  type Setting,
  spendingOf,
  times,
} from '../../contract/check.ts';
import { answered, doubtBaseline } from '../../contract/judge.ts';
import { type Answer, describeAnswer, type Fields } from '../../contract/messages.ts';
import { partId } from '../../contract/parts.ts';
import type { SignedFields } from '../../contract/target.ts';
import { type Carrier, ownCarrier } from './carrier.ts';
import { isOrdinary, isSameRefusal, notSigned } from './likeness.ts';
import { refusesAllAlike } from './uniform-refusals.ts';
import {
  applicable,
  merged,
  NO_FIELD_TO_ADD,
  namesOf,
  type Step,
  sorted,
  type Witness,
  wordsOf,
} from './witness.ts';

/** A step, and those of its witnesses that are sent. */
interface Shown {
  readonly step: Step;
  readonly witnesses: readonly Witness[];
}

/** Sends a token request as a carrier; each takes what it needs anew. */
type NextCarrier = () => Promise<Carrier>;

/**
 * Witnesses of several steps whose fields all differ, one of each step in turn. Some readers of JSON
 * take keys for one that differ in case only.
 */
export function compatible(steps: readonly Step[], signed: SignedFields): Shown[] {
  const taken = new Set<string>();
  const left = steps.map((step) =>
    applicable(step.together, signed).filter((witness) => showsOnly(step, witness)),
  );
  const chosen = steps.map((): Witness[] => []);
  while (left.some(({ length }) => length > 0)) {
    for (const [at, witnesses] of left.entries()) {
      const keys = ({ fields }: Witness): string[] =>
        Object.keys(fields).map((name) => name.trim().toLowerCase());
      const next = witnesses.findIndex((one) => !keys(one).some((key) => taken.has(key)));
      left[at] = next < 0 ? [] : witnesses.slice(next + 1);
      const witness = witnesses[next];
      if (!witness) continue;
      chosen[at]?.push(witness);
      for (const key of keys(witness)) taken.add(key);
    }
  }
  return steps
    .map((step, at): Shown => ({ step, witnesses: chosen[at] ?? [] }))
    .filter(({ witnesses }) => witnesses.length > 0);
}

/**
 * Checks whether a refusal of a witness is due to its step: its text is ASCII, or the step is UTF-8, and
 * its keys stand in one place, sorted trimmed or not. An empty value has no neutral one, but a reading to
 * compare with.
 */
function showsOnly({ rule }: Step, { neutral, fields, otherReadings }: Witness): boolean {
  const isPlain = rule === 'signature/utf8' || /^[\0-\x7f]*$/.test(JSON.stringify(fields));
  const isEmpty = Object.values(fields).includes('');
  const isInPlace = Object.keys(fields).every((key) => key === key.trim());
  return isPlain && isInPlace && (neutral !== null || (isEmpty && otherReadings !== undefined));
}

/**
 * Judges several steps by one request that shows all of them. A refusal is traced to one step: half of
 * the steps go again, until one is left; then the refused request goes again with neutral values for it.
 */
async function judgeTogether(
  ctx: CheckContext,
  shown: readonly Shown[],
  next: NextCarrier,
): Promise<Record<string, Finding>> {
  const accepted = new Set<Shown>();
  const send = async (some: readonly Shown[], more: More = {}): Promise<Answer> => {
    const carrier = await next();
    const arrange = some.find(({ step }) => step.arrange)?.step.arrange ?? sorted;
    const pairs = arrange(carrier.pairs({ ...more.neutral, ...fieldsOf(some) }));
    const steps = some.map(({ step }) => step.rule.split('/')[1]).join(', ');
    const what = more.neutral ? `${steps}; ${wordsOf(more.neutral)}` : steps;
    const how = more.signedText === undefined ? 'positive' : 'the same, signed at random';
    const purpose = `${how}: steps of the signature: ${what}`;
    const answer = answered(await carrier.send(purpose, pairs, more.signedText));
    if (answer.outcome === 'accepted') for (const one of some) accepted.add(one);
    return answer;
  };
  const found = (doubt: string, broken?: readonly [Shown, Finding]): Record<string, Finding> =>
    Object.fromEntries(
      shown.map((one): [string, Finding] => {
        if (broken?.[0] === one) return [one.step.rule, broken[1]];
        const words = `accepted, signed by the rules: ${namesOf(one.witnesses)}`;
        return [one.step.rule, accepted.has(one) ? pass(words) : inconclusive(doubt)];
      }),
    );

  let refused = await send(shown);
  if (refused.outcome === 'accepted') return found('');
  const doubt = `a request that shows several steps was refused (${describeAnswer(refused)})`;
  let suspects = shown;
  let sent = shown;
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
  return suspect ? found(doubt, [suspect, await judgeSuspect(suspect)]) : found(doubt);

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
      if (await refusesAllAlike(ctx))
        return inconclusive(
          `a request with ${what} was refused (${describeAnswer(refused)}), as is anything else: the target may refuse such a value for itself`,
        );
    }
    return (baseline): Judgement => {
      const unproven = ctx.opening ? doubtBaseline(baseline) : null;
      if (unproven !== null) return inconclusive(unproven);
      const why = `while ${wordsOf(neutral)} in its place is accepted`;
      return violated(expected, `${got}, ${why}`, refused.exchange);
    };
  }

  /** The first other reading of the first witness, if a request signed by it is accepted. */
  async function readingAccepted([first]: readonly Witness[]): Promise<string | null> {
    const [reading] = first?.otherReadings ?? [];
    if (!first || !reading) return null;
    const [how, textOf] = reading;
    const carrier = await next();
    const pairs = sorted(carrier.pairs(first.fields));
    const answer = await carrier.send(`${first.what}, signed ${how}`, pairs, textOf(pairs));
    return answer.outcome === 'accepted' ? how : null;
  }
}

/** Changes of a request that shows steps. */
interface More {
  /** Values without what is at stake in a step. */
  readonly neutral?: Fields;
  /** Signed in place of the pairs. */
  readonly signedText?: string;
}

const fieldsOf = (some: readonly Shown[]): Fields =>
  merged(some.flatMap(({ witnesses }) => witnesses.map(({ fields }) => fields)));

/** Requests that find the one step of several that is refused. */
const mostRequests = (steps: number): number => 3 + Math.ceil(Math.log2(steps));

/**
 * Further parts for a metered target: all steps in one refresh, of each lineage, and two of them in each
 * of some exchanges, whose allowance is small.
 */
export function partsTogether(steps: readonly Step[]): readonly Check[] {
  const part = (some: readonly Step[], on: BaseRequest, setting?: Setting): Check => ({
    id: `${partId('signature/steps', on, setting)}:${some.map(({ rule }) => rule.split('/')[1]).join('+')}`,
    rules: some.map(({ rule }) => rule),
    baseRequest: on === 'user' ? 'standalone' : on,
    setting: on === 'user' ? { circumstance: 'an exchange of an auth code' } : setting,
    rank: 1,
    spends: () => ({
      ...times(spendingOf(on), mostRequests(some.length)),
      ...(on === 'user' && { codes: mostRequests(some.length) }),
    }),
    unless: ({ tokenFields }) =>
      compatible(some, tokenFields).length > 0 ? undefined : NO_FIELD_TO_ADD,
    run: async (ctx) => {
      const exchange: NextCarrier = async () => {
        const code = await ctx.authCode();
        return {
          pairs: (changes) => ctx.exchange(code, changes),
          send: (purpose, fields, signedText) => ctx.token({ purpose, fields, signedText }),
        };
      };
      const own: NextCarrier = async () => ownCarrier(ctx, on);
      const shown = compatible(some, ctx.facts.tokenFields);
      const left = some.filter((step) => !shown.some((one) => one.step === step));
      return {
        ...Object.fromEntries(left.map(({ rule }) => [rule, untestable(NO_FIELD_TO_ADD)])),
        ...(await judgeTogether(ctx, shown, on === 'user' ? exchange : own)),
      };
    },
  });
  const pairs = steps.flatMap((_one, at) => (at % 2 === 0 ? [steps.slice(at, at + 2)] : []));
  return [
    part(steps, 'refresh'),
    part(steps, 'refresh', { ofUser: true }),
    ...pairs.map((pair) => part(pair, 'user')),
  ];
}
