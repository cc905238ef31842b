import type { GrantType, TokenResponse } from '../../interface/index.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { Settings } from '../settings.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { IssuedToken } from '../state/tokens.ts';
import { type Entitlement, type EntitlementState, entitle } from './entitlement.ts';
import { type FreshnessLimits, refuseStale } from './freshness.ts';
import { identify, type Sender } from './identify.ts';
import {
  parseTokenBody,
  readGrant,
  readGrantType,
  type TokenFields,
  type TokenGrant,
} from './token-fields.ts';

/** The steps of a token request that a fault can replace, in their order. */
export interface TokenSteps {
  /** Reads the header Authorization and finds the partner that it names. */
  readonly identify: (header: string | undefined, partners: Partners) => Sender;
  /** Parses the body. */
  readonly parseBody: (body: Uint8Array, contentType: string | undefined) => TokenFields;
  readonly readGrantType: (fields: TokenFields) => GrantType;
  /** Reads the fields that the grant type requires. */
  readonly readGrant: (fields: TokenFields, grantType: GrantType) => TokenGrant;
  /** Judges the field `_`. */
  readonly refuseStale: (timestamp: unknown, nowMs: number) => void;
  /** Judges the refresh_token or the auth_code. */
  readonly entitle: (
    partner: Partner,
    grant: TokenGrant,
    state: EntitlementState,
    nowMs: number,
  ) => Entitlement;
  /** Writes the answer. */
  readonly writeToken: (issued: IssuedToken) => Answer;
}

/** The steps as the interface has them, with the gaps' settings. */
export function tokenSteps(
  { behaviour, expiresInSeconds }: Settings,
  freshness: FreshnessLimits,
): TokenSteps {
  return {
    identify,
    parseBody: parseTokenBody,
    readGrantType,
    readGrant,
    refuseStale: (timestamp, nowMs) => refuseStale(timestamp, freshness, nowMs),
    entitle: (partner, grant, state) =>
      entitle(partner, grant, state, behaviour['refresh-replay-consequence']),
    writeToken: ({ grant, accessToken, refreshToken }) =>
      jsonAnswer(200, {
        access_token: accessToken,
        refresh_token: refreshToken,
        expires_in_second: expiresInSeconds,
        token_type: behaviour['token-type-spelling'],
        scope: grant.scope,
      } satisfies TokenResponse),
  };
}
