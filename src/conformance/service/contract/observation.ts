import type { EstimateFields } from '../../../answers/estimate-record.ts';
import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import type { Acceptance, BaseRequest, Needs } from './check.ts';
import { inSome } from './judge.ts';
import type { Answer, EstimateAnswer, Fields, TokenAnswer } from './messages.ts';
import { type Facts, SHAPES, type Shape } from './target.ts';

/** A token request that is not to be refused, and its answer. */
export interface SeenToken {
  readonly answer: TokenAnswer;
  readonly fields: Fields;
  readonly partnerId: string;
  /** True if it must be accepted: a refusal of another one proves nothing. */
  readonly isWellFormed: boolean;
  /** True for the first request of a new partner: only a fault refuses it. */
  readonly firstOfFresh: boolean;
  /** True if so little was sent before it that no rate limit refuses it. */
  readonly isRested: boolean;
}

/** A successful estimate answer to a request that must be accepted. */
export interface SeenEstimate {
  readonly answer: EstimateAnswer;
  readonly query: Readonly<Record<string, string>>;
  /** Shape of the profile that it was asked in; null if the request varied it. */
  readonly shape: Shape | null;
  /** Header that it was sent with. */
  readonly as: 'platform' | 'user';
}

/** One record of an estimate, with the estimate that it came in. */
export interface SeenRecord extends SeenEstimate {
  readonly record: EstimateFields;
}

/** Requests and answers of all checks of a run. */
export interface Seen {
  /** Well-formed token requests, refused ones too. */
  readonly requests: readonly SeenToken[];
  /** Successes of all token requests but those that must be refused. */
  readonly tokens: readonly SeenToken[];
  readonly estimates: readonly SeenEstimate[];
  readonly facts: Pick<Facts, 'shapes' | 'metered'>;
}

/** A rule that is judged by the traffic of other checks, without requests of its own. */
export interface Observation {
  readonly rule: string;
  /** Base requests that show it; each is sent once even if no check varies it. */
  readonly from: readonly BaseRequest[];
  /** Meaning of an acceptance for it. */
  readonly acceptance: Acceptance;
  readonly needs?: Needs | undefined;
  readonly judge: (seen: Seen) => Judgement;
  /** True if a violation needs all requests of a run, and not one answer. */
  readonly overall?: true;
}

/**
 * Requests by which a refusal can accuse: of partners of a profile, those that the target also accepted a
 * request of, if it accepted any. The signing key of another one may be wrong, or it may be banned.
 */
export function ofServedPartners(
  refused: readonly SeenToken[],
  { requests, facts }: Pick<Seen, 'requests' | 'facts'>,
): readonly SeenToken[] {
  const accepted = requests.filter(({ answer }) => answer.outcome === 'accepted');
  if (!facts.metered || accepted.length === 0) return refused;
  const served = new Set(accepted.map(({ partnerId }) => partnerId));
  return refused.filter(({ partnerId }) => served.has(partnerId));
}

/** Defines a rule that is judged by the traffic of other checks. */
export function observation(
  rule: string,
  from: readonly BaseRequest[],
  judge: (seen: Seen) => Judgement,
  needs?: Needs,
): Observation {
  return { rule, from, acceptance: 'read', judge, needs };
}

/** Properties by which token requests and estimates are told apart. */
type Kinds = Partial<Pick<SeenToken, 'fields'> & Pick<SeenEstimate, 'shape' | 'as'>>;

/** Ways to sort what was observed: by grant, or by shape and header. */
const SORTS: readonly ((one: Kinds) => string | null)[] = [
  ({ fields }) => (fields ? `grant_type ${String(fields['grant_type'])}` : null),
  ({ shape }) => (shape ? `shape ${shape}` : null),
  ({ as }) => (as ? `estimates of a ${as}` : null),
];

/** Kinds of items that are broken, in words, if there are others of which none is; empty where that tells nothing. */
function whereOf<T extends object>(list: readonly T[], isBroken: (one: T) => boolean): string {
  const sorted = SORTS.map((sort) => {
    const all = new Map<string, T[]>();
    for (const one of list) {
      const name = sort(one);
      if (name !== null) all.set(name, [...(all.get(name) ?? []), one]);
    }
    const counts = [...all].map(([name, some]) => ({
      name,
      of: some.length,
      broken: some.filter(isBroken).length,
    }));
    return {
      broken: counts.filter(({ broken }) => broken > 0),
      sound: counts.filter(({ broken }) => broken === 0),
    };
  }).filter(({ broken, sound }) => broken.length > 0 && sound.length > 0);
  const isClean = ({ broken }: (typeof sorted)[number]): boolean =>
    broken.every((one) => one.broken === one.of);
  const one = sorted.find(isClean) ?? sorted[0];
  if (!one) return '';
  const words = one.broken.map(({ name, of, broken }) =>
    broken === of ? `all of ${name}` : `${broken} of ${of} of ${name}`,
  );
  return `: ${words.join(', ')}, none of ${one.sound.map(({ name }) => name).join(', ')}`;
}

/** Judges each item; one violation is enough. */
export function judgeEach<T extends { readonly answer: Answer }>(
  list: readonly T[],
  {
    expected,
    objectTo,
    what,
    none,
    sample = { words: '', missing: null },
  }: {
    /** Requirement of the rule. */
    readonly expected: string;
    /** Problem of one item; null if there is none. */
    readonly objectTo: (one: T) => string | null;
    /** Name of the items, such as `records`. */
    readonly what: string;
    /** Reason if no item was observed. */
    readonly none: string;
    /** Kinds of items that were observed, if that matters for a pass. */
    readonly sample?: Sample | undefined;
  },
): Judgement {
  const objections = list.flatMap((one) => {
    const got = objectTo(one);
    return got === null ? [] : [{ got, answer: one.answer }];
  });
  const [first] = objections;
  if (first) {
    const broken = new Set(objections.map(({ answer }) => answer));
    const where = whereOf(list, ({ answer }) => broken.has(answer));
    const got = `${first.got} (${inSome(objections.length, list.length, what)}${where})`;
    return violated(expected, got, first.answer.exchange, exchangesOf(objections));
  }
  if (list.length === 0) return inconclusive(none);
  const { words, missing } = sample;
  if (missing !== null) return inconclusive(`${expected}, as far as seen: ${missing}`);
  return pass(`${expected}, in each of ${list.length} ${what}${words}`, exchangesOf(list));
}

/** Kinds of estimates that a rule was judged over. */
export interface Sample {
  /** Numbers by shape and header, to follow the number of all. */
  readonly words: string;
  /** Shape that was seen too seldom for a pass; null for none. */
  readonly missing: string | null;
}

/** Answers of each shape that a pass needs where requests are free. */
export const FEWEST_OF_SHAPE = 10;

/**
 * Counts estimates by shape and header.
 *
 * @param of the estimates that a rule was judged over
 */
export function sampleOf(of: readonly SeenEstimate[], { facts, estimates }: Seen): Sample {
  const answers = [...new Map(of.map((one) => [one.answer.exchange, one])).values()];
  const shapes = SHAPES.filter((shape) => facts.shapes.includes(shape)).map((shape) => ({
    shape,
    seen: answers.filter((one) => one.shape === shape).length,
    all: estimates.filter((one) => one.shape === shape).length,
  }));
  const ofUsers = answers.filter(({ as }) => as === 'user').length;
  const parts = [
    ...shapes.filter(({ all }) => all > 0).map(({ shape, seen }) => `${seen} ${shape}`),
    `${answers.length - ofUsers} with a platform's header`,
    `${ofUsers} with a user's`,
  ];
  const few = shapes.find(({ seen, all }) => seen > 0 && all < FEWEST_OF_SHAPE);
  return {
    words: ` (${parts.join(', ')})`,
    missing:
      few && !facts.metered
        ? `only ${few.all} answers in the shape ${few.shape} were seen, and a pass needs ${FEWEST_OF_SHAPE}`
        : null,
  };
}

/** Ids of some exchanges as evidence. */
export function exchangesOf(list: readonly { readonly answer: Answer }[]): string[] {
  return [...new Set(list.map(({ answer }) => answer.exchange))].slice(0, 3);
}

/** Every record of every estimate. */
export function recordsOf({ estimates }: Seen): SeenRecord[] {
  return estimates.flatMap((estimate) =>
    estimate.answer.records.map((record) => ({ ...estimate, record })),
  );
}
