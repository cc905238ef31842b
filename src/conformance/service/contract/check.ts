/**
 * A check of a service: data about what it needs and spends, and one function that reads like the
 * rule. Most checks are made by a template of `templates.ts`:
 *
 *   refusals({ rule, baseRequest: 'platform', variants: [[wrong, (ctx) => ...]] })
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

/** Requirements of a check besides its partner; without them its rules are untestable. */
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

/** Answers to the base request before and after a check; null if it was not sent. */
export interface Baseline {
  readonly opening: Answer | null;
  readonly closing: Answer | null;
  /** Reason why the closing request could not be sent. */
  readonly problem?: string;
}

/**
 * A judgement, or a function that makes one after the closing baseline. The function may send
 * further requests, and throw: then only its rule is not judged.
 */
export type Finding = Judgement | ((baseline: Baseline) => Judgement | Promise<Judgement>);

/** One finding, or one for each of the check's rules. */
export type Findings = Finding | Readonly<Record<string, Finding>>;

/** A check that sends requests. */
export interface Check {
  /**
   * Prefix of the keys of its stored exchanges. Permanent, so that a later version can resume a run
   * and judge it again; for a check of one rule it is the rule's id.
   */
  readonly id: string;
  /** Ids of the rules that it judges. */
  readonly rules: readonly string[];
  readonly baseRequest: BaseRequest;
  /** Alternative base requests if the preferred one has no allowance left. */
  readonly alsoOn?: readonly BaseRequest[] | undefined;
  readonly spends: (facts: Facts, baseRequest: BaseRequest) => Spending;
  /** Additional spending once another day has come. */
  readonly spendsLater?: Spending | undefined;
  readonly needs?: Needs | undefined;
  /** The kind of target that the check is for; on the other kind another check judges its rules. */
  readonly only?: 'controlled' | 'metered' | undefined;
  /** Reason why the check does not apply to this target; undefined if it does. */
  readonly unless?: ((facts: Facts) => string | undefined) | undefined;
  /**
   * By rule, another rule whose violation would explain its own: the violation counts only if the
   * other rule passes. The check that judges the other rule begins before this one.
   */
  readonly dependsOn?: Readonly<Record<string, string>> | undefined;
  /** Order of planning if allowances are short, lower first; default 5. */
  readonly priority?: number | undefined;
  /** True if the verdict depends on the target's clock. */
  readonly clock?: true | undefined;
  /**
   * True if the check uses an allowance up and waits for the next day: until then no other check
   * uses its partner.
   */
  readonly spansDays?: true | undefined;
  /**
   * True if a fresh partner may be left banned. Such checks run last and one by one, a day apart,
   * so that a ban that wrongly affects other partners disturbs no other check.
   */
  readonly bansFresh?: true | undefined;
  /**
   * True for the check that runs first of those that ban a fresh partner: it judges whether a ban
   * affects others.
   */
  readonly beforeOtherBans?: true | undefined;
  /** Condition of the gap `error-status` that its refused requests meet. */
  readonly refusedAs?: ErrorCondition | undefined;
  /** Number of the attempt, from 1; higher if an answer was lost when an earlier run ended. */
  readonly attempt?: number | undefined;
  readonly run: (ctx: CheckContext) => Promise<Findings>;
}
