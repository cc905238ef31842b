import type { Fields, TokenAnswer } from '../contract/messages.ts';
import { isPublic } from './token-history.ts';

/**
 * Follows a user's tokens through exchanges and refreshes: only the newest is valid, whatever its
 * request varied.
 */
export class UserLineage {
  /** That of the newest token. */
  #refreshToken: string | null = null;

  /** The access token that a request brought in place of the user's; null if it brought none. */
  newestAfter(fields: Fields, answer: TokenAnswer): string | null {
    const { grant_type: grant, refresh_token: sent, scope } = fields;
    const isRefresh = sent !== undefined && sent === this.#refreshToken;
    const isOfUser = grant === 'authorization_code' || isRefresh;
    if (answer.outcome !== 'accepted' || !isOfUser) return null;
    this.#refreshToken = answer.refreshToken;
    return isPublic(scope) ? answer.accessToken : null;
  }
}
