import type { Fields, TokenAnswer } from '../contract/messages.ts';

/** Share of a token's life in which no clock that is some seconds off has ended it. */
const SAFE_SHARE = 0.5;

/** Platform tokens that a partner was issued in a run, and that nothing but time may end. */
export class PlatformTokens {
  #issued: readonly TokenAnswer[] = [];

  /** Notes a token request and its answer. */
  note(fields: Fields, answer: TokenAnswer): void {
    // The interface leaves open whether a token outlives its refresh; a target may issue one twice.
    const sent = fields['refresh_token'];
    const refreshed = this.#issued
      .filter(({ refreshToken }) => refreshToken !== null && refreshToken === sent)
      .map(({ accessToken }) => accessToken);
    this.#issued = this.#issued.filter(({ accessToken }) => !refreshed.includes(accessToken));
    const isPlatform = fields['grant_type'] === 'client_credentials';
    if (answer.outcome === 'accepted' && isPlatform && isPublic(fields['scope']))
      this.#issued = [...this.#issued, answer];
  }

  /** Access tokens that are not past half of their life, the oldest first. */
  youngAt(nowMs: number): string[] {
    return this.#issued.flatMap(({ accessToken, answeredAtMs, expiresInSeconds }) => {
      const endMs = answeredAtMs + SAFE_SHARE * 1000 * (expiresInSeconds ?? 0);
      return accessToken !== null && nowMs < endMs ? [accessToken] : [];
    });
  }
}

/** Checks whether a token of that scope serves estimates; a request that names none gets `public`. */
export function isPublic(scope: unknown): boolean {
  return scope === undefined || (typeof scope === 'string' && scope.split(' ').includes('public'));
}
