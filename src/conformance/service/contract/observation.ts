import type { Judgement } from '../../verdict.ts';
import type { EstimateAnswer, TokenAnswer } from './answer.ts';
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

/** What was seen by all checks of a run. */
export interface Seen {
  /** Well-formed token requests, refused ones too. */
  readonly requests: readonly SeenToken[];
  /** Of them the successful ones. */
  readonly tokens: readonly SeenToken[];
  readonly estimates: readonly SeenEstimate[];
}

/** A rule judged over what the other checks saw, at no spend. */
export interface Observation {
  readonly rule: string;
  /** Base requests whose well-formed requests show it; one of each is sent even if no check does. */
  readonly from: readonly BaseRequest[];
  readonly needs?: Needs | undefined;
  readonly judge: (seen: Seen) => Judgement;
  /** Whether a violation shows by all that a run sends, and not by one answer. */
  readonly overall?: true;
}
