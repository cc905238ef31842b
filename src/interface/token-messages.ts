import { z } from 'zod';
import { DURATION_WORDS, GRANT_TYPES, LIMITS } from './limits.ts';

const commonFields = {
  scope: z
    .string()
    .optional()
    .meta({ description: 'Space-separated list of scopes; default `public`.' }),
  _: z.string().meta({
    description: `Current time in ISO 8601; valid for ${DURATION_WORDS.timestampValidity}; not checked in the test environment.`,
  }),
  nostr: z
    .string()
    .regex(new RegExp(`^[0-9A-Za-z]{${LIMITS.nostrLength}}$`))
    .meta({ description: 'Random string of exactly 6 characters, digits and letters.' }),
};

/**
 * Bodies of `POST /v1/oauth/token` by grant type; unknown fields pass.
 *
 * @see interface.md, "Token request body" and "1. Request, refresh or exchange a token"
 */
export const GRANT_SHAPES = {
  PlatformTokenRequest: z
    .looseObject({ grant_type: z.literal(GRANT_TYPES[0]), ...commonFields })
    .meta({ title: 'Platform token request' }),
  RefreshRequest: z
    .looseObject({
      grant_type: z.literal(GRANT_TYPES[1]),
      refresh_token: z
        .string()
        .min(1)
        .meta({ description: 'The refresh_token issued with an earlier token.' }),
      ...commonFields,
    })
    .meta({ title: 'Refresh request' }),
  UserTokenRequest: z
    .looseObject({
      grant_type: z.literal(GRANT_TYPES[2]),
      auth_code: z.string().min(1).meta({ description: 'The auth_code issued by the partner.' }),
      ...commonFields,
    })
    .meta({ title: 'User token request' }),
} as const;

/** Body of a token response with status 200 (interface.md, "Token response body"). */
export const tokenResponseSchema = z.looseObject({
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
    .meta({ description: 'The bearer type: `bearer`, or `bear` as declared.' }),
  scope: z.string().meta({ description: 'Equals the scope requested.' }),
});

/** Body of a token response with status 200. */
export type TokenResponse = z.infer<typeof tokenResponseSchema>;
