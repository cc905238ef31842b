import type { SeededRandom } from '../../seeded-random.ts';
import type { CheckContext } from '../contract/check.ts';
import type { Answer } from '../contract/messages.ts';
import type { AnyAttempt } from '../contract/templates.ts';
import type { Grant, RequestStep } from '../contract/walk.ts';
import type { Session } from '../wire/session.ts';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A request as its twists make it. */
export interface Draft {
  readonly step: RequestStep;
  readonly session: Session;
  /** Fields of the body, or parameters of the query, in the order in which they are sent. */
  fields: Record<string, unknown>;
  /** Parts of the request besides them. */
  readonly parts: Writable<Partial<AnyAttempt>>;
  accessToken: string;
  /** Writes the body of a token request from its JSON; null for the JSON as it is. */
  write: ((json: string) => string) | null;
}

/**
 * Context of a check, as far as its variants need it that need no more than their own request: its base request is the
 * draft as it stands. And what a twist may use of its walk.
 */
export interface Surroundings extends CheckContext {
  readonly random: SeededRandom;
  /** A credential of the walk that is right elsewhere; null if there is none. */
  readonly credential: (kind: 'accessToken' | 'refreshToken', of: 'own' | 'other') => string | null;
  /** Signature that an earlier request of the partner had; null before the first. */
  readonly sentSignature: string | null;
  /** Scope of the token that is refreshed; null where it is not known. */
  readonly sourceScope: string | null;
}

/** Meaning of a twisted request: right, wrong, or left open by the interface. */
export type Meaning = 'right' | 'wrong' | 'open';

/** Twists a draft; false where it does not apply. */
export type Apply = (
  draft: Draft,
  around: Surroundings,
) => boolean | void | Promise<boolean | void>;

/** Requests that a way to vary them is for: those of a kind, or of one grant or header. */
export type On = RequestStep['do'] | Grant | 'platform-estimate' | 'user-estimate';

/** A way to vary a request. */
export interface Row {
  /** Words that follow the request, such as `with a nostr of 5 characters`. */
  readonly name: string;
  readonly on: On;
  readonly is: Meaning;
  /** Rule that is broken where a right one is refused, or a wrong one accepted. */
  readonly rule: string;
  /** Rows that are drawn as those of a rule of their own would be; left out, those of the rule. */
  readonly group?: string | undefined;
  readonly apply: Apply;
  /**
   * Class of what is open: once a service took one of a class in a walk, it refuses none for that.
   */
  readonly learns?: string | undefined;
  /** True for an answer that is as good as a refusal, such as an empty list of estimates. */
  readonly tolerates?: ((answer: Answer) => boolean) | undefined;
}

/** Checks whether a row is for a request. */
export function isFor({ on }: Row, step: RequestStep): boolean {
  return on === step.do || (step.do === 'token' ? on === step.grant : on === `${step.as}-estimate`);
}

/** Picks one of a list. */
export function pick<T>(list: readonly T[], random: Pick<SeededRandom, 'next'>): T {
  return list[Math.floor(random.next() * list.length)] as T;
}

/** Picks one of a list, each as likely as its weight. */
export function pickByWeight<T>(
  list: readonly T[],
  weightOf: (one: T) => number,
  random: Pick<SeededRandom, 'next'>,
): T {
  let at = random.next() * list.reduce((sum, one) => sum + weightOf(one), 0);
  return list.find((one) => (at -= weightOf(one)) < 0) ?? (list[0] as T);
}

/** A whole number from the least to the most. */
export function between(least: number, most: number, random: Pick<SeededRandom, 'next'>): number {
  return least + Math.floor(random.next() * (most - least + 1));
}

/** Sets a field where the request has none by that name. */
export function adding({ fields }: Draft, name: string, value: unknown): boolean {
  if (name.trim() in fields || name in fields) return false;
  fields[name] = value;
  return true;
}

/** The right signature of a draft as it stands. */
export function rightSignature({ step, session, fields }: Draft): string {
  return step.do === 'token' ? session.signer.sign(fields) : session.signer.signEstimate(fields);
}

/** The signature that a draft is sent with. */
export function sentSignature({ step, session, fields, parts }: Draft): string {
  const { signature, signed = fields, signingKey } = parts;
  if (signature !== undefined) return signature;
  return step.do === 'token'
    ? session.signer.sign(signed, signingKey)
    : session.signer.signEstimate(fields, signingKey);
}

/** Checks whether a wrong request misses one step of signing: if any signature is accepted, that is not to blame. */
export const isOfSigning = ({ is, rule }: Row): boolean =>
  is === 'wrong' && /^signature\/(?!invalid)|nostr-case/.test(rule);

/**
 * Checks whether a wrong token request may be sent by a metered partner: it is in its name, so that what it costs
 * is known if it is accepted, and no further request is needed to tell what is wrong in it.
 */
export const isMetered = (row: Row): boolean =>
  row.is === 'wrong' && !isOfSigning(row) && !/^token\/(authorization|partner)/.test(row.rule);
