import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import type { Answer, EstimateAnswer, EstimateFields, TokenAnswer } from './answer.ts';
import type { BaseRequest } from './base-request.ts';
import type { Needs } from './check.ts';
import type { Fields } from './request.ts';
import type { Shape } from './target.ts';

/** A well-formed token request and its answer, whatever it was. */
export interface SeenToken {
  readonly answer: TokenAnswer;
  readonly fields: Fields;
  /** Whether it was the first request of a partner just made: nothing but a fault refuses it. */
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
  /** The successful ones of these. */
  readonly tokens: readonly SeenToken[];
  readonly estimates: readonly SeenEstimate[];
}

/** A rule judged over what the other checks saw, at no spend. */
export interface Observation {
  readonly rule: string;
  /** Base requests that show it; each is sent once even if no check varies it. */
  readonly from: readonly BaseRequest[];
  readonly needs?: Needs | undefined;
  readonly judge: (seen: Seen) => Judgement;
  /** Whether a violation shows by all that a run sends, and not by one answer. */
  readonly overall?: true;
}

/** A rule judged over what other checks saw. */
export function observation(
  rule: string,
  from: readonly BaseRequest[],
  judge: (seen: Seen) => Judgement,
  needs?: Needs,
): Observation {
  return { rule, from, judge, needs };
}

/** How each of several things that were seen is judged. */
export interface Each<T> {
  /** What the rule asks for. */
  readonly expected: string;
  /** What is wrong with one; null where nothing is. */
  readonly objectTo: (one: T) => string | null;
  /** Name of these things, such as `records`. */
  readonly what: string;
  /** Why nothing can be said where none was seen. */
  readonly none: string;
}

/** Judges each; one that breaks the rule is enough. */
export function judgeEach<T extends { readonly answer: Answer }>(
  list: readonly T[],
  { expected, objectTo, what, none }: Each<T>,
): Judgement {
  for (const one of list) {
    const got = objectTo(one);
    const { exchange } = one.answer;
    if (got !== null) return violated(expected, got, exchange, [exchange]);
  }
  if (list.length === 0) return inconclusive(none);
  return pass(`${expected}, in each of ${list.length} ${what}`, exchangesOf(list));
}

/** Some exchanges that show what was seen. */
export function exchangesOf(list: readonly { readonly answer: Answer }[]): string[] {
  return [...new Set(list.map(({ answer }) => answer.exchange))].slice(0, 3);
}

/** Every record of every estimate. */
export function recordsOf({ estimates }: Seen): SeenRecord[] {
  return estimates.flatMap((estimate) =>
    estimate.answer.records.map((record) => ({ ...estimate, record })),
  );
}
