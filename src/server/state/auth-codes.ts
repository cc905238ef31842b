import type { RandomSource } from '../random.ts';
import type { Partner } from './partners.ts';

/** A user's permission, given to one partner. */
export interface AuthCode {
  readonly userId: string;
  used: boolean;
}

/** Auth codes: each good once, for one user of one partner (interface.md, "Token request body"). */
export class AuthCodes {
  readonly #codes = new Map<string, AuthCode>();

  add(partner: Partner, code: string, userId: string): void {
    this.#codes.set(keyOf(partner, code), { userId, used: false });
  }

  /** Makes up a code for that user. */
  addFresh(partner: Partner, userId: string, random: RandomSource): string {
    const code = `ac_${random(12).toString('base64url')}`;
    this.add(partner, code, userId);
    return code;
  }

  /** Looks a partner's code up, be it used or not; another partner's codes are unknown to it. */
  find(partner: Partner, code: string): AuthCode | undefined {
    return this.#codes.get(keyOf(partner, code));
  }
}

/** Partner ids hold no space, so no two pairs share a key. */
function keyOf(partner: Partner, code: string): string {
  return `${partner.id} ${code}`;
}
