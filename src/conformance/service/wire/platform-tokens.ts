import type { EarlierAnswer, Fields, TokenAnswer } from '../contract/messages.ts';

/** Platform tokens that a partner was issued in a run, and that nothing but time may end. */
export class PlatformTokens {
  #issued: readonly TokenAnswer[] = [];
  #answers: readonly EarlierAnswer[] = [];

  /** Answers to all token requests of the partner, the oldest first. */
  get answers(): readonly EarlierAnswer[] {
    return this.#answers;
  }

  /** Answers that brought them, the oldest first. */
  get issued(): readonly TokenAnswer[] {
    return this.#issued;
  }

  /** Notes a token request and its answer. */
  note(fields: Fields, answer: TokenAnswer): void {
    // The interface leaves open whether a token outlives its refresh; a target may issue one twice.
    const sent = fields['refresh_token'];
    const refreshed = this.#issued
      .filter(({ refreshToken }) => refreshToken !== null && refreshToken === sent)
      .map(({ accessToken }) => accessToken);
    this.#issued = this.#issued.filter(({ accessToken }) => !refreshed.includes(accessToken));
    const isPlatform = fields['grant_type'] === 'client_credentials';
    this.#answers = [...this.#answers, { ...answer, isPlatform }];
    const isUsable = answer.outcome === 'accepted' && answer.accessToken !== null;
    if (isUsable && isPlatform && isPublic(fields['scope']))
      this.#issued = [...this.#issued, answer];
  }
}

/** Checks whether a token of that scope serves estimates; a request that names none gets `public`. */
export function isPublic(scope: unknown): boolean {
  return scope === undefined || (typeof scope === 'string' && scope.split(' ').includes('public'));
}
