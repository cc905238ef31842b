import type { Grant } from '../../service/state/tokens.ts';
import type { Broken } from '../fault.ts';
import type { RequestInHand } from '../request-in-hand.ts';
import type { TokenLife } from '../token-lives.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Condition on a token under which a form shows. */
export type Condition = (life: TokenLife, nowMs: number, request: RequestInHand) => boolean;

/** Conditions in words, and the other rules that a form breaks. */
export type Rows = Readonly<
  Record<string, readonly [when: string, Condition, (readonly Broken[])?]>
>;

/** Milliseconds since a time; 0 if there is none. */
export function since(atMs: number | null | undefined, nowMs: number): number {
  return nowMs - (atMs ?? nowMs);
}

/** Milliseconds since its expiry; negative before it. */
export function late({ accessExpiresAtMs }: Grant, nowMs: number): number {
  return nowMs - accessExpiresAtMs;
}

/** Notes a use of an access_token. */
export function used<T>(life: TokenLife | undefined, nowMs: number, result: T): T {
  if (life) Object.assign(life, { uses: life.uses + 1, lastUsedAtMs: nowMs });
  return result;
}
