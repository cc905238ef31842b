/**
 * A check of a service: data about what it needs and spends, and one function that reads like the
 * rule. Most checks are made by a template of `templates.ts`:
 *
 *   refusals({ rule, baseRequest: 'platform', variants: (ctx) => [...] })
 *       Requests that must be refused. A well-formed base request is sent before and after them; a
 *       refusal is a pass only between two that were accepted.
 *   acceptance({ rule, baseRequest: 'platform', right, send })
 *       One request that must succeed.
 *   observation(rule, ['platform'], (seen) => judgement)
 *       Sends nothing: judges what all other checks saw (`seen.tokens`, `seen.estimates`).
 *   checkOf({ rule, baseRequest, run })
 *       Anything else.
 *
 * `run(ctx)` sends by `ctx.token()`, `ctx.estimate()` and their shortcuts, waits for a time of the
 * target by `ctx.reach()`, throws {@link Inconclusive} where a precondition fails, and returns a
 * {@link Judgement} (`pass`, `violated`, `inconclusive`, `untestable` of `verdict.ts`) for its rule or
 * one for each of its rules, or a function that makes it after the closing baseline.
 *
 * The base request says which well-formed request the check's own are variations of, and brings what
 * they need:
 *   platform       ctx.base() is a token request with client_credentials
 *   refresh        ctx.base() is a refresh, with an unused refresh_token
 *   user           ctx.base() is an exchange of an unused auth code
 *   estimate       ctx.query() is an estimate request, sent with a platform token
 *   user-estimate  the same, signed and sent with a user token
 *   standalone     no baseline: the check sends its own, as a partner that no other check shares
 *
 * `spends` is the most that the check may draw on its partner's allowances, refused requests
 * included (some services count them), the baseline not. A request that names no grant type counts
 * for each kind. Where the target has a control API each check has a fresh partner; without one,
 * checks of a base request share a metered partner, and a check that sends more than it declares is
 * stopped.
 */
import type { ErrorCondition } from '../../../interface/gaps.ts';
import type { Judgement } from '../../verdict.ts';
import type { Answer } from './answer.ts';
import type { BaseRequest } from './base-request.ts';
import type { CheckContext } from './context.ts';
import type { Spending } from './spending.ts';
import type { Facts, Shape, Target } from './target.ts';

/** What a check needs beyond its partner; its rules are untestable where the run lacks it. */
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

/** Answers to the base request before and after a check; null where it was not sent. */
export interface Baseline {
  readonly opening: Answer | null;
  readonly closing: Answer | null;
  /** Why the closing one could not be sent. */
  readonly problem?: string;
}

/**
 * A judgement, or a function that makes one after the closing baseline. It may send further requests,
 * and throw: then that rule is not judged, and others of the check are.
 */
export type Finding = Judgement | ((baseline: Baseline) => Judgement | Promise<Judgement>);

/** One finding, or one for each of the check's rules. */
export type Findings = Finding | Readonly<Record<string, Finding>>;

/** A check that sends requests. */
export interface Check {
  /**
   * Begins the keys of its stored exchanges. Permanent, so that a later version can resume a run and
   * judge it again; for a check of one rule it is the rule's id.
   */
  readonly id: string;
  /** Ids of the rules that it judges. */
  readonly rules: readonly string[];
  readonly baseRequest: BaseRequest;
  /** Base requests that do as well when the preferred one has no allowance left. */
  readonly alsoOn?: readonly BaseRequest[] | undefined;
  readonly spends: (facts: Facts, baseRequest: BaseRequest) => Spending;
  /** Spending beyond that once another day has come. */
  readonly spendsLater?: Spending | undefined;
  readonly needs?: Needs | undefined;
  /** The kind of target that it is for; on the other kind another check judges its rules. */
  readonly only?: 'controlled' | 'metered' | undefined;
  /** Why this target cannot be judged by it; undefined where it can. */
  readonly unless?: ((facts: Facts) => string | undefined) | undefined;
  /**
   * By rule, another one whose violation would explain its own: it stands as violated only where the
   * other passes. The check that judges the other begins before this one.
   */
  readonly dependsOn?: Readonly<Record<string, string>> | undefined;
  /** Planning order where allowances are short, lower first; default 5. */
  readonly priority?: number | undefined;
  /** Whether the verdict depends on the target's clock. */
  readonly clock?: true | undefined;
  /** Uses an allowance up and waits for the next day: until then nothing else draws on its partner. */
  readonly spansDays?: true | undefined;
  /**
   * Whether a fresh partner may be left banned. Such checks run last and one by one, a day apart, so
   * that a ban that reaches others, against the rules, spoils no other check.
   */
  readonly bansFresh?: true | undefined;
  /** Runs first of those that ban a fresh partner: it judges whether a ban reaches others. */
  readonly beforeOtherBans?: true | undefined;
  /** The condition of the gap `error-status` that its negative requests meet. */
  readonly refusedAs?: ErrorCondition | undefined;
  /** Number of the attempt, from 1; more where an answer was lost when an earlier run ended. */
  readonly attempt?: number | undefined;
  readonly run: (ctx: CheckContext) => Promise<Findings>;
}
