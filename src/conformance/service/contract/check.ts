/**
 * A check of a service: data about what it needs and spends, and one function that reads like the
 * rule. Most checks are made by a template of `templates.ts`:
 *
 *   refusals({ rule, baseRequest: 'platform', variants: [[wrong, (ctx) => ...]] })
 *       Requests that must be refused. A well-formed base request is sent before and after them; a
 *       refusal is a pass only between two that were accepted.
 *   acceptances({ rule, baseRequest: 'platform', variants: [[right, (ctx) => ...]] })
 *       Requests that must succeed.
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
import type { PartBatch } from '../../../documents/exchange.ts';
import type { ErrorCondition } from '../../../interface/error-conditions.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import type { Asked } from '../../model/asked.ts';
import type { Judgement } from '../../verdict.ts';
import type {
  Answer,
  EarlierAnswer,
  EstimateAnswer,
  EstimateAttempt,
  Fields,
  TokenAnswer,
  TokenAttempt,
} from './messages.ts';
import type { Facts, LockState, Shape } from './target.ts';
import type { TimeForm } from './time-forms.ts';

/**
 * The well-formed request that the requests of a check vary. It is sent before and after them, as
 * their baseline; a `standalone` check has no baseline and sends its own comparison.
 */
export type BaseRequest = PartBatch['baseRequest'];

/** Circumstances in which a base request is sent; left out, the plainest. */
export interface Setting {
  /** Shape that estimates are asked in. */
  readonly shape?: Shape | undefined;
  /** True if the estimate's token came from a refresh. */
  readonly afterRefresh?: true | undefined;
  /** True if the refresh_token came with a user's token. */
  readonly ofUser?: true | undefined;
  /** True if a platform request names the scope `public`. */
  readonly withScope?: true | undefined;
  /** Circumstance in which a `standalone` check sends its requests, such as `after a minute`. */
  readonly circumstance?: string | undefined;
}

/** Base request and setting that a check runs on. */
export interface Place {
  readonly baseRequest: BaseRequest;
  readonly setting: Setting;
}

/** Place of a base request, in its plainest setting where none is named. */
export const placeOn = (baseRequest: BaseRequest, setting: Setting = {}): Place => ({
  baseRequest,
  setting,
});

/** Place of a check that sends requests of its own only. */
export const standalone = (circumstance?: string): Place =>
  placeOn('standalone', circumstance === undefined ? {} : { circumstance });

/** Place in words, such as `a refresh of a user's token`. */
export function describePlace({ baseRequest, setting }: Place): string {
  const { shape, afterRefresh, ofUser, withScope, circumstance } = setting;
  if (circumstance !== undefined) return circumstance;
  const parts = [
    WORDS[baseRequest],
    ...(ofUser ? ["of a user's token"] : []),
    ...(withScope ? ['with a scope'] : []),
    ...(afterRefresh ? ['with a refreshed token'] : []),
    ...(shape === undefined ? [] : [`in the shape ${shape}`]),
  ];
  return parts.join(' ');
}

const WORDS: Readonly<Record<BaseRequest, string>> = {
  platform: 'a platform request',
  refresh: 'a refresh',
  user: 'an exchange of an auth code',
  estimate: 'a platform estimate',
  'user-estimate': 'a user estimate',
  standalone: 'its own requests',
};

/** Token requests by allowance, and auth codes; a missing one is 0. */
export type Spending = { readonly [kind in AllowanceKind | 'codes']?: number | undefined };

/** Most that a check spends on its partner's allowances. */
export type Price = Spending & {
  /** Additional spending once another day has come. */
  readonly later?: Spending | undefined;
  /**
   * True if its requests are to be refused: where those count against no allowance, it needs no more than room
   * for one that is accepted.
   */
  readonly isRefused?: true | undefined;
};

/**
 * Price of a check on a base request; left out, that of its preferred place. An auth code that was sent is used up,
 * whatever the answer: on an exchange, a price that names no codes has one for each request.
 */
export function priceOf(
  { spends, places }: Check,
  facts: Facts,
  baseRequest: BaseRequest = places[0].baseRequest,
): Price {
  const price = spends?.(facts, baseRequest) ?? {};
  return baseRequest === 'user' ? { codes: price.user, ...price } : price;
}

/** Spending of one request that varies a base request; estimates cost nothing. */
export function spendingOf(baseRequest: BaseRequest): Spending {
  const spends = baseRequest === 'platform' || baseRequest === 'user' || baseRequest === 'refresh';
  return spends ? { [baseRequest]: 1 } : {};
}

/** Checks whether a price is nothing. */
export const isFree = ({ platform, user, refresh, codes }: Spending): boolean =>
  !(platform || user || refresh || codes);

/** Spending of several requests of one kind. */
export function times(spending: Spending, count: number): Spending {
  return Object.fromEntries(
    Object.entries(spending).map(([kind, number]) => [kind, (number ?? 0) * count]),
  );
}

/**
 * Refused requests that one fresh partner's allowances permit beside the baseline, on a target that
 * counts them.
 */
export const VARIANTS_PER_PARTNER = { platform: 8, refresh: 8, user: 3 } as const;

/** Refused requests that a fresh partner may send on a base request; undefined for any number. */
export function roomOn(baseRequest: BaseRequest): number | undefined {
  return (VARIANTS_PER_PARTNER as { readonly [base in BaseRequest]?: number })[baseRequest];
}

/** Requirements of a check besides its partner; without them its rules are untestable. */
export interface Needs {
  /** The target's clock, fresh partners, locks. */
  readonly control?: true | undefined;
  /** A partner that may be banned. */
  readonly ban?: true | undefined;
  readonly environment?: 'production' | 'test' | undefined;
  readonly shape?: Shape | undefined;
  /** A second partner, known to the target. */
  readonly otherPartner?: true | undefined;
  /** Reason why this target's profile leaves nothing to send; undefined if it leaves something. */
  readonly missing?: ((facts: Facts) => string | undefined) | undefined;
}

/** Turn of a check where allowances, requests or time are short. */
export interface Priority {
  /**
   * Left out for a check without which its rule is not judged. Others are planned later:
   *   further  a further part, sent only if something is left over
   *   early    a further part that spends much less than it declares: with many partners it is planned with the
   *            checks, and what it leaves is planned again
   *   probe    a check that probes gaps, and makes no verdict
   */
  readonly stage?: 'further' | 'early' | 'probe' | undefined;
  /** Order in its stage, lower first: of a check from 0 to 9, of a further part among those of its rule. */
  readonly rank: number;
  /** True for one that comes before all others, whatever its stage. */
  readonly isFirst?: true | undefined;
}

/** Puts a check before all others. */
export const beforeOthers = (check: Check): Check => ({
  ...check,
  priority: { ...check.priority, rank: rankOf(check), isFirst: true },
});

/** Rank of a check among those without which their rules are not judged. */
const MIDDLE = 5;

/** Rank of a check in its stage. */
export function rankOf({ priority }: Check): number {
  return priority?.rank ?? MIDDLE;
}

/** Checks whether a rule is judged without a check all the same. */
export function isFurther({ priority }: Check): boolean {
  return priority?.stage === 'further' || priority?.stage === 'early';
}

/** Checks whether a check probes gaps, and makes no verdict. */
export const isProbe = ({ priority }: Check): boolean => priority?.stage === 'probe';

/** Checks to run in the place of one. */
export const partsOf = (check: Check, facts: Facts): readonly Check[] =>
  check.parts?.(facts) ?? [check];

/**
 * Effect of a check on its partner besides spending. Where partners are fresh it has one of its own;
 * metered partners are used last for what takes time:
 *   counts   its answers depend on how many requests were sent before: none is sent twice
 *   waits    it waits for a time of the target's clock, and the tokens of others end meanwhile
 *   uses-up  both, until the next day: no other check uses the partner until then
 *   bans     both, and it leaves the partner banned. With fresh partners such checks run one by one, a day
 *            apart, so that a ban that wrongly affects other partners disturbs no other check
 */
export type Effect = 'counts' | 'waits' | 'uses-up' | 'bans';

/** Checks whether the answers of a check depend on how many requests were sent before. */
export const isCounted = ({ effect }: Pick<Check, 'effect'>): boolean =>
  effect !== undefined && effect !== 'waits';

/** Checks whether a check waits for a time of the target's clock. */
export const isWaiting = ({ effect }: Pick<Check, 'effect'>): boolean =>
  effect !== undefined && effect !== 'counts';

/**
 * Meaning of an accepted request for a rule:
 *   demanded          the rule demands it, so the acceptance is the rule itself
 *   read              the rule is judged by what the answer says
 *   shows-signature   it shows how a signature is made, which it does only if the target looks at it: a
 *                     pass beside the same kind of request that is refused for a wrong signature
 */
export type Acceptance = 'demanded' | 'read' | 'shows-signature';

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
   * Permanent, as stored exchanges have it: by it a run is resumed and judged again. For a check of one
   * rule it is the rule's id.
   */
  readonly id: string;
  /** Ids of the rules that it judges. */
  readonly rules: readonly string[];
  /** Places that it may be sent on, the preferred first. */
  readonly places: readonly [Place, ...Place[]];
  /** Meaning of an acceptance, for all rules or by rule; left out for rules that pass by a refusal. */
  readonly acceptance?: Acceptance | Readonly<Record<string, Acceptance>> | undefined;
  /**
   * Checks to run in its place, perhaps shared with other rules; left out, itself. The rule is broken if one of
   * them finds so. All but the first are further parts, the most important first.
   */
  readonly parts?: ((facts: Facts) => readonly Check[]) | undefined;
  /** Left out for a check that spends nothing. */
  readonly spends?: ((facts: Facts, baseRequest: BaseRequest) => Price) | undefined;
  readonly needs?: Needs | undefined;
  /**
   * By rule, another rule whose violation would explain its own: the violation counts only if the
   * other rule passes. The check that judges the other rule begins before this one.
   */
  readonly dependsOn?: Readonly<Record<string, string>> | undefined;
  /** Left out, in the middle of the checks that judge their rules. */
  readonly priority?: Priority | undefined;
  readonly effect?: Effect | undefined;
  /** Condition of the gap `error-status` that its refused requests meet. */
  readonly refusedAs?: ErrorCondition | undefined;
  readonly run: (ctx: CheckContext) => Promise<Findings>;
}

/** A partner of the target, and how to send requests as that partner. */
export interface Caller {
  readonly id: string;
  readonly signingKey: string;
  /** Body of a platform token request; a change to undefined leaves a field out. */
  platform(changes?: Fields): Fields;
  /** Body of a refresh. */
  refresh(refreshToken: string, changes?: Fields): Fields;
  /** Body of an exchange of an auth code. */
  exchange(authCode: string, changes?: Fields): Fields;
  /** The pairs of these fields that the target signs. */
  signedPairs(fields: Fields): Fields;
  /** The right signature of these fields. */
  sign(fields: Fields): string;
  /** The right signature of a user's estimate with that query. */
  signEstimate(query: Fields): string;
  /** Sends a token request. */
  token(attempt: TokenAttempt): Promise<TokenAnswer>;
  /** Sends an estimate request. */
  estimate(attempt: EstimateAttempt): Promise<EstimateAnswer>;
  /** Sends a well-formed platform token request. */
  sendPlatform(purpose: string): Promise<TokenAnswer>;
  /**
   * A platform token, by a well-formed request.
   *
   * @throws Inconclusive if none came
   */
  issued(purpose: string): Promise<TokenAnswer & { readonly accessToken: string }>;
  /**
   * A platform token with a refresh_token, by a well-formed request.
   *
   * @throws Inconclusive if none came
   */
  refreshable(purpose: string): Promise<TokenAnswer & { readonly refreshToken: string }>;
  /** Sends a well-formed refresh. */
  sendRefresh(refreshToken: string, purpose: string): Promise<TokenAnswer>;
  /** Sends a well-formed estimate request with a token; `as` is the kind of its header. */
  sendEstimate(
    accessToken: string,
    purpose: string,
    as?: 'platform' | 'user',
  ): Promise<EstimateAnswer>;
  /**
   * An unused auth code of this partner; with a control API, of the named user.
   *
   * @throws Inconclusive if none is left
   */
  authCode(user?: string): Promise<string>;
  /** Lets some ms pass in which connections open. */
  pause(forMs: number): Promise<void>;
}

/** Long rest of a run, by which a refusal for the rate of the target is told from others. */
export interface Rests {
  /** True once it was taken: it is a minute, so a run has one. */
  isTaken: boolean;
  /** Rules of which a breach was shown that no rate limit explains. */
  readonly confirmed: Set<string>;
  /** Statuses by which a request was refused that an allowance covers, and that was accepted when it was sent again. */
  readonly passed: Set<number>;
}

/** State of a run before its first rest. */
export const noRests = (): Rests => ({ isTaken: false, confirmed: new Set(), passed: new Set() });

/** Context of a check: its partner, and its target. */
export interface CheckContext extends Caller {
  readonly facts: Facts;
  readonly random: {
    text(length: number, alphabet?: string): string;
    hex(length: number): string;
    nostr(length?: number): string;
  };
  /** The body of the base request; a change to undefined leaves a field out. */
  base(changes?: Fields): Fields;
  /** The query of a well-formed estimate in one of the profile's shapes (default: the plainest). */
  query(
    changes?: Readonly<Record<string, string | undefined>>,
    shape?: Shape,
  ): Record<string, string>;
  /** The base request's access token; empty if none was issued. */
  readonly accessToken: string;
  /** The partner's newest platform token; empty if there is none. */
  readonly platformToken: string;
  /** Answers that brought platform tokens to the partner which only time may have ended, the oldest first. */
  readonly earlierPlatformTokens: readonly TokenAnswer[];
  /** Answers to all token requests of the partner in the run, the oldest first. */
  readonly earlierAnswers: readonly EarlierAnswer[];
  /** An unused refresh_token of the partner; empty if there is none. */
  readonly refreshToken: string;
  /** The answer to the opening baseline; null if none was sent. */
  readonly opening: TokenAnswer | EstimateAnswer | null;
  readonly rests: Rests;
  /** Runs a task once no other check of the run does so, one after the other. */
  alone(task: () => Promise<void>): Promise<void>;
  /** Requests of the run so far, as the models of allowances and of tokens see them. */
  log(): readonly Asked[];
  /** Target's time, ms since the epoch. */
  now(): number;
  /** The target's time that many seconds ago; left out, `form` is the one that the target takes. */
  timestamp(secondsAgo?: number, form?: TimeForm): string;
  /**
   * Waits until the target's clock reaches a time, in ms; resolves with the time reached. If the
   * clock cannot be moved and the time is far off, the check ends here and its rules are pending: a
   * resumed run replays its earlier requests from the recording.
   */
  reach(atMs: number): Promise<number>;
  /** Keeps other runs from its partner while a ban that begins now may last. */
  reserve(): void;
  /** Another partner with full allowances; only with a control API. */
  freshPartner(options?: { longLock?: boolean }): Promise<Caller>;
  /**
   * Another partner that the target knows: a fresh one, or one of the profile; null if there is
   * none.
   */
  otherPartner(): Promise<Caller | null>;
  /** The lock of an estimate from the control API, with the target's time at which it was read. */
  readLock(estimateId: string): Promise<(LockState & { readonly readAtMs: number }) | null>;
}
