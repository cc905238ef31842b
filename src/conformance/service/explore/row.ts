import type { SeededRandom } from '../../seeded-random.ts';
import type { EstimateAttempt, TokenAttempt } from '../contract/messages.ts';
import type { RequestStep, TokenStep } from '../contract/walk.ts';
import type { Session } from '../wire/session.ts';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Parts of a request besides its fields. */
type Parts = Writable<
  Partial<Omit<TokenAttempt, 'contentType'> & Omit<EstimateAttempt, 'contentType'>>
> & { contentType?: string | false | undefined };

/** A request as its twists make it. */
export interface Draft {
  readonly step: RequestStep;
  readonly session: Session;
  /** Fields of the body, or parameters of the query, in the order in which they are sent. */
  fields: Record<string, unknown>;
  readonly parts: Parts;
  accessToken: string;
  /** Writes the body of a token request from its JSON; null for the JSON as it is. */
  write: ((json: string, fields: Readonly<Record<string, unknown>>) => string) | null;
}

/** Parts of the walk that a twist may use. */
export interface Surroundings {
  readonly random: SeededRandom;
  /** The target's time, ms. */
  readonly nowMs: number;
  readonly isTest: boolean;
  readonly other: () => Promise<Session>;
  /** A credential of the walk that is right elsewhere; null if there is none. */
  readonly credential: (kind: 'accessToken' | 'refreshToken', of: 'own' | 'other') => string | null;
  readonly code: (session: Session) => Promise<string>;
  /** Signature that an earlier request of the partner had; null before the first. */
  readonly sentSignature: string | null;
}

/** Meaning of a twisted request: right, wrong, or left open by the interface. */
export type Meaning = 'right' | 'wrong' | 'open';

/** A way to vary a request. */
export interface Row {
  /** Words that follow the request, such as `with a nostr of 5 characters`. */
  readonly name: string;
  readonly on: RequestStep['do'];
  readonly is: Meaning;
  /** Rule that is broken where a right one is refused, or a wrong one accepted. */
  readonly rule: string;
  /** Requests that it is for; left out, all. */
  readonly for?: (step: RequestStep) => boolean;
  /** Twists the draft; false where it does not apply. */
  readonly apply: (draft: Draft, around: Surroundings) => boolean | void | Promise<boolean | void>;
  /**
   * Class of what is open: once a service took one of a class in a walk, it refuses none for that.
   */
  readonly learns?: string;
  /** True if an empty list of estimates is as good as a refusal. */
  readonly orEmpty?: true;
}

/** Picks one of a list. */
export function pick<T>(list: readonly T[], random: Pick<SeededRandom, 'next'>): T {
  return list[Math.floor(random.next() * list.length)] as T;
}

/** A whole number from the least to the most. */
export function between(least: number, most: number, random: Pick<SeededRandom, 'next'>): number {
  return least + Math.floor(random.next() * (most - least + 1));
}

export const isUserEstimate = (step: RequestStep): boolean =>
  step.do === 'estimate' && step.as === 'user';

export const grantOf = (step: RequestStep): TokenStep['grant'] | null =>
  step.do === 'token' ? step.grant : null;

/** The right signature of a draft as it stands. */
export function rightSignature({ step, session, fields }: Draft): string {
  return step.do === 'token' ? session.signer.sign(fields) : session.signer.signEstimate(fields);
}

/** Signs the draft as it stands, so that what changes afterwards is not signed. */
export function signNow(draft: Draft): void {
  if (draft.step.do === 'token') draft.parts.signed = { ...draft.fields };
  else draft.parts.signature = rightSignature(draft);
}
