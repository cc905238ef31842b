import type { RandomSource } from '../random.ts';
import type { Partner } from './partners.ts';

/** A user's permission, given to one partner. */
export interface AuthCode {
  readonly userId: string;
  used: boolean;
}

/** Auth codes: each valid once, for one user of one partner (interface.md, "Token request body"). */
export class AuthCodes {
  readonly #codes = new Map<string, AuthCode>();

  add(partner: Partner, code: string, userId: string): void {
    this.#codes.set(keyOf(partner, code), { userId, used: false });
  }

  /** Adds a random code for a user and returns it. */
  addFresh(partner: Partner, userId: string, random: RandomSource): string {
    const code = `ac_${random(12).toString('base64url')}`;
    this.add(partner, code, userId);
    return code;
  }

  /** Looks up a code of a partner, used or not; the codes of other partners are not found. */
  find(partner: Partner, code: string): AuthCode | undefined {
    return this.#codes.get(keyOf(partner, code));
  }
}

/** The user of the auth codes that a partner starts with. */
export function userOf(partner: Partner): string {
  return `user-of-${partner.id}`;
}

/** Partner ids contain no space, so that two pairs never share a key. */
function keyOf(partner: Partner, code: string): string {
  return `${partner.id} ${code}`;
}
