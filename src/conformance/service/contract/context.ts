import type { EstimateAnswer, TokenAnswer } from './answer.ts';
import type { EstimateAttempt, Fields, TokenAttempt } from './request.ts';
import type { Facts, Shape } from './target.ts';

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
}

/** Context of a check: its partner, and its target. */
export interface CheckContext extends Caller {
  readonly facts: Facts;
  readonly random: {
    text(length: number): string;
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
  /** The answer to the opening baseline; null if none was sent. */
  readonly opening: TokenAnswer | EstimateAnswer | null;
  /** Target's time, ms since the epoch. */
  now(): number;
  /** ISO 8601 of the target's time that many seconds ago. */
  timestamp(secondsAgo?: number): string;
  /**
   * Waits until the target's clock reaches a time, in ms; resolves with the time reached. If the
   * clock cannot be moved and the time is far off, the check ends here and its rules are pending: a
   * resumed run replays its earlier requests from the recording.
   */
  reach(atMs: number): Promise<number>;
  /** Another partner with full allowances; only with a control API. */
  freshPartner(options?: { longLock?: boolean }): Promise<Caller>;
  /**
   * Another partner that the target knows: a fresh one, or one of the profile; null if there is
   * none.
   */
  otherPartner(): Promise<Caller | null>;
  /** The lock of an estimate from the control API, with the target's time at which it was read. */
  readLock(estimateId: string): Promise<{
    partnerId: string | null;
    locked: boolean;
    lockedUntilMs: number;
    readAtMs: number;
  } | null>;
}
