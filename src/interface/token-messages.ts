import { z } from 'zod';
import { GRANT_TYPES, LIMITS } from './limits.ts';

/** What every token request carries (interface.md, "Token request body"). */
interface TokenRequestCommon {
  /** Space-separated list of scopes; default `public`. */
  scope?: string | undefined;
  /** Current time, ISO 8601; valid for 10 minutes. */
  _: string;
  /** Six digits and letters, case-sensitive. */
  nostr: string;
  [unknownField: string]: unknown;
}

/** Asks for a platform token. */
export interface PlatformTokenRequest extends TokenRequestCommon {
  grant_type: 'client_credentials';
}

/** Replaces a token; the refresh_token is good once. */
export interface RefreshRequest extends TokenRequestCommon {
  grant_type: 'refresh_token';
  refresh_token: string;
}

/** Exchanges an auth code, issued by the partner, for a user token. */
export interface UserTokenRequest extends TokenRequestCommon {
  grant_type: 'authorization_code';
  auth_code: string;
}

/** Body of `POST /v1/oauth/token`, one shape for each grant type; unknown fields pass. */
export type TokenRequest = PlatformTokenRequest | RefreshRequest | UserTokenRequest;

const common = {
  scope: z
    .string()
    .optional()
    .meta({ description: 'Space-separated list of scopes; default `public`.' }),
  _: z.string().meta({
    description:
      'Current time in ISO 8601; valid for 10 minutes; not checked in the test environment.',
  }),
  nostr: z
    .string()
    .regex(new RegExp(`^[0-9A-Za-z]{${LIMITS.nostrLength}}$`))
    .meta({ description: 'Random string of exactly 6 characters, digits and letters.' }),
};

/**
 * Shape of a token request (interface.md, "Token request body" and
 * "1. Request, refresh or exchange a token").
 */
export const tokenRequestSchema: z.ZodType<TokenRequest> = z.discriminatedUnion('grant_type', [
  z
    .looseObject({ grant_type: z.literal(GRANT_TYPES[0]), ...common })
    .meta({ title: 'Platform token request' }),
  z
    .looseObject({
      grant_type: z.literal(GRANT_TYPES[1]),
      refresh_token: z.string().min(1),
      ...common,
    })
    .meta({ title: 'Refresh request' }),
  z
    .looseObject({ grant_type: z.literal(GRANT_TYPES[2]), auth_code: z.string().min(1), ...common })
    .meta({ title: 'User token request' }),
]);

/** Body of a token answer with status 200 (interface.md, "Token response body"). */
export interface TokenResponse {
  access_token: string;
  /** Good for one refresh; has no validity period limit. */
  refresh_token: string;
  /** Validity of the access_token, in seconds. */
  expires_in_second: number;
  /** The bearer type: `bearer`, or `bear` as declared. */
  token_type: string;
  /** Equals the scope requested. */
  scope: string;
  [unknownField: string]: unknown;
}

/** Shape of a token answer (interface.md, "Token response body"). */
export const tokenResponseSchema: z.ZodType<TokenResponse> = z.looseObject({
  access_token: z
    .string()
    .min(1)
    .meta({ description: 'Authorization token of all other requests.' }),
  refresh_token: z
    .string()
    .min(1)
    .meta({ description: 'Good for one refresh; has no validity period limit.' }),
  expires_in_second: z
    .int()
    .min(1)
    .meta({ description: 'Validity of the access_token, in seconds.' }),
  token_type: z
    .string()
    .regex(/^[Bb]ear(er)?$/)
    .meta({ description: 'The bearer type.' }),
  scope: z.string().meta({ description: 'Equals the scope requested.' }),
});
