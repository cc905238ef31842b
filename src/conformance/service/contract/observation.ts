import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import type { BaseRequest, Needs } from './check.ts';
import type { Answer, EstimateAnswer, EstimateFields, Fields, TokenAnswer } from './messages.ts';
import type { Shape } from './target.ts';

/** A well-formed token request and its answer, accepted or not. */
export interface SeenToken {
  readonly answer: TokenAnswer;
  readonly fields: Fields;
  /** True for the first request of a new partner: only a fault refuses it. */
  readonly firstOfFresh: boolean;
}

/** A successful estimate answer to a well-formed request. */
export interface SeenEstimate {
  readonly answer: EstimateAnswer;
  readonly query: Readonly<Record<string, string>>;
  readonly shape: Shape | null;
}

/** One record of an estimate, with the estimate that it came in. */
export interface SeenRecord extends SeenEstimate {
  readonly record: EstimateFields;
}

/** Requests and answers of all checks of a run. */
export interface Seen {
  /** Well-formed token requests, refused ones too. */
  readonly requests: readonly SeenToken[];
  /** The successful ones. */
  readonly tokens: readonly SeenToken[];
  readonly estimates: readonly SeenEstimate[];
}

/** A rule that is judged by the traffic of other checks, without requests of its own. */
export interface Observation {
  readonly rule: string;
  /** Base requests that show it; each is sent once even if no check varies it. */
  readonly from: readonly BaseRequest[];
  readonly needs?: Needs | undefined;
  readonly judge: (seen: Seen) => Judgement;
  /** True if a violation needs all requests of a run, and not one answer. */
  readonly overall?: true;
}

/** Defines a rule that is judged by the traffic of other checks. */
export function observation(
  rule: string,
  from: readonly BaseRequest[],
  judge: (seen: Seen) => Judgement,
  needs?: Needs,
): Observation {
  return { rule, from, judge, needs };
}

/** Judges each item; one violation is enough. */
export function judgeEach<T extends { readonly answer: Answer }>(
  list: readonly T[],
  {
    expected,
    objectTo,
    what,
    none,
  }: {
    /** Requirement of the rule. */
    readonly expected: string;
    /** Problem of one item; null if there is none. */
    readonly objectTo: (one: T) => string | null;
    /** Name of the items, such as `records`. */
    readonly what: string;
    /** Reason if no item was observed. */
    readonly none: string;
  },
): Judgement {
  for (const one of list) {
    const got = objectTo(one);
    const { exchange } = one.answer;
    if (got !== null) return violated(expected, got, exchange, [exchange]);
  }
  if (list.length === 0) return inconclusive(none);
  return pass(`${expected}, in each of ${list.length} ${what}`, exchangesOf(list));
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
