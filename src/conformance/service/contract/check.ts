/**
 * How a check of a service is written.
 *
 * A check is data and one function that reads like the rule. Most are one of three kinds, each with
 * a maker in `makers.ts` that fills in the rest:
 *
 *   refusals({ rule, baseRequest: 'platform', variants: (ctx) => [...] })
 *       Requests that must be refused. The base request sends a well-formed request of its kind before
 *       and after; a negative is a pass only between two accepted controls.
 *   acceptance({ rule, baseRequest: 'platform', ... })
 *       A request that must succeed; where it is refused, further requests tell why.
 *   observation(rule, ['platform'], (seen) => judgement)
 *       Sends nothing: judges what every other check saw (`seen.tokens`, `seen.estimates`).
 *
 * What these do not fit is a {@link Check} with a `run(ctx)` of its own: it sends by `ctx.token()`
 * and `ctx.estimate()`, waits for a time of the target by `ctx.reach()`, and returns a
 * {@link Judgement} (`pass`, `violated`, `inconclusive`, `untestable` of `verdict.ts`), one for each
 * of its rules, or a function that makes it once the closing control has been sent.
 *
 * The base request says whose requests a check's own are variations of, and brings what they need:
 *   platform       ctx.base() is a token request with client_credentials
 *   refresh        ctx.base() is a refresh, with an unused refresh_token
 *   user           ctx.base() is an exchange of an unused auth code
 *   estimate       ctx.query() is an estimate request, sent with a platform token
 *   user-estimate  the same, signed and sent with a user token
 *   alone          no controls: the check brings its own; ctx.partner is one of its own
 *
 * `spends` is the most that the check may draw on its partner's allowances, refused requests
 * included (some services count them), the base request's controls not. A request that names no grant
 * type counts for each kind. Where the target has a control API each check has a fresh partner;
 * without one, checks of a base request share a metered one, and a check that sends more than it declares
 * is stopped.
 */
import type { Judgement } from '../../verdict.ts';
import type { Answer } from './answer.ts';
import type { BaseRequest } from './base-request.ts';
import type { CheckContext } from './context.ts';
import type { Spending } from './spending.ts';
import type { Facts, Shape, Target } from './target.ts';

/** What a check needs beyond its partner; what is lacking makes its rules untestable. */
export interface Needs {
  /** The target's clock, fresh partners, locks. */
  readonly control?: true | undefined;
  /** A partner that may be banned. */
  readonly ban?: true | undefined;
  readonly environment?: Target['environment'] | undefined;
  readonly shape?: Shape | undefined;
  /** A second partner, known to the target. */
  readonly otherPartner?: true | undefined;
}

/** The base request's well-formed requests before and after the check; null where not sent. */
export interface Baseline {
  readonly opening: Answer | null;
  readonly closing: Answer | null;
  /** Why the closing control could not be sent. */
  readonly problem?: string;
}

/** A judgement, one that is still being made, or one that waits for the closing baseline. */
export type Finding = Judgement | Promise<Judgement> | ((baseline: Baseline) => Judgement);

/** One finding, or one for each of the check's rules. */
export type Findings = Finding | Readonly<Record<string, Finding>>;

/** A check that sends requests. */
export interface Check {
  /**
   * Names it in the keys of stored exchanges. Permanent, so that runs can be resumed and judged again
   * by a later version; of a check of one rule it is the rule's id.
   */
  readonly id: string;
  /** Ids of the rules that it judges. */
  readonly rules: readonly string[];
  readonly baseRequest: BaseRequest;
  /** Base requests that do as well when the preferred one has no allowance left. */
  readonly alsoOn?: readonly BaseRequest[] | undefined;
  /**
   * By rule, another whose violation would explain its own: it stands as violated only where that one
   * passes. The check that judges the other begins before this one.
   */
  readonly dependsOn?: Readonly<Record<string, string>> | undefined;
  readonly spends: (facts: Facts, baseRequest: BaseRequest) => Spending;
  /** What it spends beyond that once another day has come. */
  readonly spendsLater?: Spending | undefined;
  readonly needs?: Needs | undefined;
  /** Left out on the other kind of target, where another check judges its rules. */
  readonly only?: 'controlled' | 'metered' | undefined;
  /** Uses an allowance up and waits for the next day: nothing else may draw on that partner till then. */
  readonly spansDays?: true | undefined;
  /** Why this target cannot be judged by it; undefined where it can. */
  readonly unless?: ((facts: Facts) => string | undefined) | undefined;
  /** The lower, the more telling, the earlier planned where allowances are short; default 5. */
  readonly priority?: number | undefined;
  /** Whether the verdict depends on the target's clock. */
  readonly clock?: true | undefined;
  /**
   * Whether a fresh partner may be left banned: such checks run last and one by one, a day apart, so
   * that a ban which reaches others, against the rules, spoils no other check.
   */
  readonly bansFresh?: true | undefined;
  /** Of the checks that ban a fresh partner the first: it judges whether a ban reaches others. */
  readonly beforeOtherBans?: true | undefined;
  /** Number of the attempt, from 1; more where an answer was lost when an earlier run ended. */
  readonly attempt?: number | undefined;
  readonly run: (ctx: CheckContext) => Promise<Findings>;
}
