import { FareproofError } from '../../../interface/errors.ts';
import { type AllowanceKind, BAN_MS } from '../../../interface/limits.ts';
import type { Ledger } from '../../../spending/index.ts';
import type { Expects } from '../contract/messages.ts';
import type { SeenEstimate, SeenToken } from '../contract/observation.ts';
import type { ReceivedTokens, TokenJournal } from '../resume/resumable-run.ts';

/** Functions that a session calls as it sends and receives. */
export interface SessionHooks {
  /** Called before a token request is sent; throws to stop it. */
  readonly beforeSpend?: (partnerId: string, kinds: readonly AllowanceKind[]) => void;
  /** Called with a refused token request, on a target that counts none of these. */
  readonly refused?: (partnerId: string, kinds: readonly AllowanceKind[]) => void;
  /** Called before an auth code of the profile is sent. */
  readonly codeSent?: (partnerId: string, code: string) => void;
  /** Called before a check exceeds an allowance of the profile's partner, or uses one up. */
  readonly partnerTaken?: (partnerId: string, use: 'ban' | 'day') => void;
  /** Called before a refresh_token is sent, unless it is to be refused; throws to stop it. */
  readonly refreshTokenUsed?: (partnerId: string, refreshToken: string) => void;
  /** Called where it was refused all the same. */
  readonly refreshTokenRefused?: (partnerId: string, refreshToken: string) => void;
  readonly tokensReceived?: (partnerId: string, tokens: ReceivedTokens) => void;
  /** Called with a well-formed token request that the target accepted. */
  readonly tokenAccepted?: (partnerId: string, kinds: readonly AllowanceKind[]) => void;
  /** Checks whether the refusal of a well-formed token request may be due to spending of earlier runs. */
  readonly mayBeUsedUp?: (partnerId: string, authCode: unknown) => boolean;
  readonly tokenSeen?: (seen: SeenToken, expects: Expects) => void;
  readonly estimateSeen?: (seen: SeenEstimate) => void;
}

const HOUR_MS = 3_600_000;

/** Time after which a ban is over, with a margin for other clocks. */
export const BAN_OVER_MS: number = BAN_MS + HOUR_MS;

/**
 * Time for which other runs do not use a partner. For an allowance that was used up: until a resumed run has had time
 * to see it renewed.
 */
const RESERVED_MS = { ban: BAN_OVER_MS, day: 28 * HOUR_MS } as const;

/**
 * Hooks that write spend, auth codes and tokens to disk before they are used.
 *
 * @param wall wall clock, ms since the epoch
 * @returns `refreshTokenUsed` throws FareproofError `REFRESH_TOKEN_USED` for a token sent before
 */
export function persistentHooks(
  baseUrl: string,
  ledger: Ledger | undefined,
  journal: TokenJournal | undefined,
  wall: () => number,
): SessionHooks {
  return {
    beforeSpend: (partner, kinds) => ledger?.spend(baseUrl, partner, kinds, wall()),
    refused: (partner, kinds) => ledger?.refuse(baseUrl, partner, kinds, wall()),
    codeSent: (partner, code) => ledger?.useCode(baseUrl, partner, code, wall()),
    partnerTaken: (partner, use) =>
      ledger?.ban(baseUrl, partner, wall() + RESERVED_MS[use], wall()),
    tokensReceived: (partner, tokens) => journal?.received(partner, tokens),
    refreshTokenRefused: (partner, token) => journal?.refused(partner, token),
    refreshTokenUsed: (partner, token) => {
      if (journal?.wasUsed(token)) {
        throw new FareproofError(
          'REFRESH_TOKEN_USED',
          `a refresh of ${partner} was not sent: an earlier part of the run has used its refresh_token`,
        );
      }
      journal?.used(partner, token);
    },
  };
}

/** Hooks for a target that begins anew by the word of its user. */
export function restartHooks(baseUrl: string, ledger: Ledger, wall: () => number): SessionHooks {
  /** Auth codes that were sent before it began. */
  const codesSentAgain = new Set<unknown>();
  return {
    codeSent: (partner, code) => {
      if (ledger.isCodeUsed(baseUrl, partner, code, 'ever')) codesSentAgain.add(code);
    },
    tokenAccepted: (partner, kinds) => ledger.accept(baseUrl, partner, kinds, wall()),
    mayBeUsedUp: (partner, code) =>
      codesSentAgain.has(code) || ledger.mayBeUsedUp(baseUrl, partner, wall()),
  };
}
