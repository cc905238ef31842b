/**
 * How a check of a service is written.
 *
 * A check is data and one function that reads like the rule. Most are one of three kinds, each with
 * a maker in `makers.ts` that fills in the rest:
 *
 *   refusals({ rule, carrier: 'platform', variants: (ctx) => [...] })
 *       Requests that must be refused. The carrier sends a well-formed request of its kind before
 *       and after; a negative is a pass only between two accepted controls.
 *   acceptance({ rule, carrier: 'platform', ... })
 *       A request that must succeed; where it is refused, further requests tell why.
 *   observation(rule, ['platform'], (seen) => judgement)
 *       Sends nothing: judges what every other check saw (`seen.tokens`, `seen.estimates`).
 *
 * What these do not fit is a {@link Check} with a `run(ctx)` of its own: it sends by `ctx.token()`
 * and `ctx.estimate()`, waits for a time of the target by `ctx.reach()`, and returns a
 * {@link Judgement} (`pass`, `violated`, `inconclusive`, `untestable` of `verdict.ts`), one for each
 * of its rules, or a function that makes it once the closing control has been sent.
 *
 * The carrier says whose requests a check's own are variations of, and brings what they need:
 *   platform       ctx.base() is a token request with client_credentials
 *   refresh        ctx.base() is a refresh, with an unused refresh_token
 *   user           ctx.base() is an exchange of an unused auth code
 *   estimate       ctx.query() is an estimate request, sent with a platform token
 *   user-estimate  the same, signed and sent with a user token
 *   alone          no controls: the check brings its own; ctx.partner is one of its own
 *
 * `spends` is the most that the check may draw on its partner's allowances, refused requests
 * included (some services count them), the carrier's controls not. A request that names no grant
 * type counts for each kind. Where the target has a control API each check has a fresh partner;
 * without one, checks of a carrier share a metered one, and a check that sends more than it declares
 * is stopped.
 */
import type { AllowanceKind } from '../../../interface/limits.ts';
import type { Judgement } from '../../verdict.ts';
import type { Shape, Target } from './target.ts';

/** Whose requests a check's own are variations of. */
export type Carrier = 'platform' | 'refresh' | 'user' | 'estimate' | 'user-estimate' | 'alone';

/** Requests by allowance, and auth codes; what is left out is 0. */
export type Spending = { readonly [kind in AllowanceKind | 'codes']?: number | undefined };

/** A request body or the pairs of a signature: JSON values by field name, in order. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a check may know of its target before it speaks to it. */
export interface Facts {
  readonly environment: Target['environment'];
  readonly tokenFields: Target['signature']['tokenFields'];
  readonly estimateFields: Target['signature']['estimateFields'];
  /** Shapes that the profile brings. */
  readonly shapes: readonly Shape[];
  /** Fresh partners at will, and a clock that moves. */
  readonly hasControl: boolean;
  /** Whether each request is dear: no control API, or a suite that caps them. */
  readonly metered: boolean;
  /** Whether a rule is asked for: not each of a check's rules may be. */
  readonly asked: (rule: string) => boolean;
  /** Whether the run stays until times come that are far off. */
  readonly waits: boolean;
}

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

/** A token request to send. */
export interface TokenAttempt {
  readonly purpose: string;
  /** The body, its fields in this order. */
  readonly fields: Fields;
  /** Signed in place of `fields`. */
  readonly signed?: Fields | undefined;
  /** The text S, signed as it is, in place of any pairs. */
  readonly signedText?: string | undefined;
  /** Sent in place of the right one. */
  readonly signature?: string | undefined;
  /** Signs in place of the partner's own. */
  readonly signingKey?: string | undefined;
  /** Named in place of the partner's own. */
  readonly partnerId?: string | undefined;
  /** The whole header made from the id and signature; null sends none. */
  readonly authorization?: ((id: string, signature: string) => string) | null | undefined;
  /** Sent in place of the JSON of `fields`. */
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** Held back at the last byte until this resolves. */
  readonly gate?: Promise<void> | undefined;
  /** Whether the request is as the interface asks; only such are observed by passive rules. */
  readonly wellFormed?: boolean | undefined;
}

/** An estimate request to send. */
export interface EstimateAttempt {
  readonly purpose: string;
  /** Decoded parameters, in order. */
  readonly query: Readonly<Record<string, string>>;
  /** Sent in place of the carrier's. */
  readonly accessToken?: string | undefined;
  /** Header of a user estimate, signed; the carrier's kind where left out. */
  readonly as?: 'platform' | 'user' | undefined;
  readonly signature?: string | undefined;
  readonly signingKey?: string | undefined;
  readonly partnerId?: string | undefined;
  /** The whole header made from id and token; null sends none. */
  readonly authorization?: ((id: string, accessToken: string) => string) | null | undefined;
  /** In place of the endpoint's path. */
  readonly path?: string | undefined;
  /** In place of GET. */
  readonly method?: string | undefined;
  /** False leaves the Content-Type out. */
  readonly contentType?: false | undefined;
  /** Which shape of the profile the query brings. */
  readonly shape?: Shape | undefined;
  readonly wellFormed?: boolean | undefined;
}

/** What came back, whatever was asked. */
export interface Answer {
  /** Id of the exchange. */
  readonly exchange: string;
  /** 0 where no whole answer came. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
  /** `broken`: no whole answer, which neither accepts nor refuses. */
  readonly outcome: 'accepted' | 'refused' | 'broken';
  /** What broke; empty where nothing did. */
  readonly failure: string;
  /** Target's time, in ms, when the request went out and when its answer was there. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** An answer of the token endpoint; a token is null where the answer holds no usable text. */
export interface TokenAnswer extends Answer {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  /** expires_in_second, null where it is no positive number. */
  readonly expiresInSeconds: number | null;
}

/** An answer of the estimate endpoint; records are empty where the body is no list of objects. */
export interface EstimateAnswer extends Answer {
  readonly records: readonly EstimateFields[];
}

/** One record of an estimate as it came, nothing assumed of it. */
export type EstimateFields = Readonly<Record<string, unknown>>;

/** A partner of the target, and how to speak as that partner. */
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
  token(attempt: TokenAttempt): Promise<TokenAnswer>;
  estimate(attempt: EstimateAttempt): Promise<EstimateAnswer>;
  /** An unused auth code of this partner; with a control API of the user named. */
  authCode(user?: string): Promise<string>;
}

/** What a check runs in. */
export interface CheckContext extends Caller {
  readonly facts: Facts;
  readonly random: {
    text(length: number): string;
    hex(length: number): string;
    nostr(length?: number): string;
  };
  /** The body of a well-formed request of the carrier; a change to undefined leaves a field out. */
  base(changes?: Fields): Fields;
  /** The query of a well-formed estimate in one of the profile's shapes (default: the plainest). */
  query(
    changes?: Readonly<Record<string, string | undefined>>,
    shape?: Shape,
  ): Record<string, string>;
  /** The carrier's access token; empty where it could not be had. */
  readonly accessToken: string;
  /** The answer of the carrier's first control; null where the carrier has none. */
  readonly opening: TokenAnswer | EstimateAnswer | null;
  /** Target's time, ms since the epoch. */
  now(): number;
  /** ISO 8601 of the target's time that many seconds ago. */
  timestamp(secondsAgo?: number): string;
  /**
   * Waits until the target's clock stands at a time; resolves with where it stands. Where the clock
   * cannot be moved and the time is far off, the check ends here and its rules are pending: the run
   * that resumes it answers its requests so far from what was kept, and comes past this place.
   */
  reach(atMs: number): Promise<number>;
  /** What another check of the run has found by now; null where it has not, or was not run. */
  found(rule: string): Judgement | null;
  /** Another partner with whole allowances; only with a control API. */
  freshPartner(options?: { longLock?: boolean }): Promise<Caller>;
  /** Another partner that the target knows; null where there is none. */
  otherPartner(): Promise<Caller | null>;
  /** The lock of an estimate, by the control API, and the target's time by which it was read. */
  readLock(estimateId: string): Promise<{
    partnerId: string | null;
    locked: boolean;
    lockedUntilMs: number;
    readAtMs: number;
  } | null>;
}

/** The carrier's well-formed requests before and after the check; null where not sent. */
export interface Controls {
  readonly opening: Answer | null;
  readonly closing: Answer | null;
  /** Why the closing control could not be sent. */
  readonly problem?: string;
}

/** A judgement, or one that waits for the closing control. */
export type Finding = Judgement | ((controls: Controls) => Judgement);

/** One finding, or one for each of the check's rules. */
export type Findings = Finding | Readonly<Record<string, Finding>>;

/** A check that sends requests. */
export interface Check {
  /** Ids of the rules that it judges. */
  readonly rules: readonly string[];
  readonly carrier: Carrier;
  /** Carriers that do as well when the preferred one has no allowance left. */
  readonly alsoOn?: readonly Carrier[] | undefined;
  readonly spends: (facts: Facts, carrier: Carrier) => Spending;
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
  /** How-manieth time it is run, where an answer was lost when an earlier part of the run died. */
  readonly attempt?: number | undefined;
  readonly run: (ctx: CheckContext) => Promise<Findings>;
}

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
  /** Carriers whose well-formed requests show it; one of each is sent even if no check does. */
  readonly from: readonly Carrier[];
  readonly needs?: Needs | undefined;
  readonly judge: (seen: Seen) => Judgement;
  /** Whether a violation shows by all that a run sends, and not by one answer. */
  readonly overall?: true;
}
