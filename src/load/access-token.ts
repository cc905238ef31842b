import { Agent, request } from 'undici';
import {
  ConfigurationError,
  FareproofError,
  type GrantType,
  LIMITS,
  type ProfilePartner,
  sign,
  type TargetProfile,
  TOKEN_PATH,
  tokenResponseSchema,
} from '../interface/index.ts';
import type { LoadClock } from './clock.ts';
import { createRandom } from './seeded-random.ts';
import type { TargetAddress } from './target-address.ts';
import type { LoadIdentity } from './workload.ts';

/** A token that a run sends its requests with. */
export interface AccessToken {
  partnerId: string;
  value: string;
  /** Null where the profile gave the token, which is used as it is. */
  refreshToken: string | null;
  /** Milliseconds since the epoch; null where unknown. */
  expiresAtMs: number | null;
}

/** Who asks for a token, and where. */
export interface TokenSource {
  profile: TargetProfile;
  address: TargetAddress;
  partner: ProfilePartner;
  clock: LoadClock;
  seed: number;
}

const TOKEN_TIMEOUT_MS = 10_000;
const ANSWER_LIMIT_BYTES = 65_536;
const NOSTR_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The partner that a run loads as: one with a token of its own first, since that costs no allowance.
 *
 * @throws ConfigurationError `PARTNER_MISSING`
 */
export function choosePartner(profile: TargetProfile, identity: LoadIdentity): ProfilePartner {
  const usable = profile.partners.filter(
    ({ authCodes, accessToken }) =>
      identity === 'platform' || accessToken !== undefined || authCodes.length > 0,
  );
  const partner =
    usable.find(({ accessToken }) => accessToken !== undefined) ??
    usable.find(({ use }) => use === 'general') ??
    usable[0];
  if (partner) return partner;
  throw new ConfigurationError(
    'PARTNER_MISSING',
    identity === 'user'
      ? 'Load as a user needs a partner with authCodes, or with an accessToken of a user.'
      : 'The profile has no partner; add one with its id and signingKey under partners.',
  );
}

/**
 * Takes the token of a run: the profile's own, or one platform token, or one user token by the first
 * auth code that is still good (interface.md, "1. Request, refresh or exchange a token").
 *
 * @throws FareproofError `TOKEN_REFUSED`, `TARGET_UNREACHABLE` or `TOKEN_ANSWER_MALFORMED`
 */
export async function takeToken(source: TokenSource, identity: LoadIdentity): Promise<AccessToken> {
  const { partner } = source;
  if (partner.accessToken !== undefined) {
    return {
      partnerId: partner.id,
      value: partner.accessToken,
      refreshToken: null,
      expiresAtMs: null,
    };
  }
  if (identity === 'platform') return requestToken(source, 'client_credentials', {});
  let refused: unknown;
  for (const authCode of partner.authCodes.slice(0, LIMITS.userTokensPerDay)) {
    try {
      return await requestToken(source, 'authorization_code', { auth_code: authCode });
    } catch (error) {
      if (!(error instanceof FareproofError) || error.code !== 'TOKEN_REFUSED') throw error;
      refused = error;
    }
  }
  throw refused;
}

/**
 * Replaces a token by its refresh_token, which is used up by that, whatever comes back.
 *
 * @throws FareproofError as {@link takeToken}
 */
export function refreshToken(source: TokenSource, spent: string): Promise<AccessToken> {
  return requestToken(source, 'refresh_token', { refresh_token: spent });
}

async function requestToken(
  source: TokenSource,
  grant: GrantType,
  fields: Readonly<Record<string, string>>,
): Promise<AccessToken> {
  const { partner, clock } = source;
  const body = {
    grant_type: grant,
    ...fields,
    _: new Date(clock.now()).toISOString(),
    nostr: makeNostr(source),
  };
  const { status, text } = await send(source, body);
  if (status !== 200) {
    throw new FareproofError(
      'TOKEN_REFUSED',
      `${source.profile.baseUrl} answered ${status} to a token request (${grant}) of partner ${partner.id}; check its signing key and what is left of its daily allowance.`,
    );
  }
  const answer = tokenResponseSchema.safeParse(parseJson(text));
  if (!answer.success) {
    throw new FareproofError(
      'TOKEN_ANSWER_MALFORMED',
      `${source.profile.baseUrl} answered 200 to a token request, and the body is no token answer; run check on it.`,
    );
  }
  return {
    partnerId: partner.id,
    value: answer.data.access_token,
    refreshToken: answer.data.refresh_token,
    expiresAtMs: clock.now() + answer.data.expires_in_second * 1000,
  };
}

/** The time is part of the stream, so that a later run of the same seed sends another nostr. */
function makeNostr({ seed, clock }: TokenSource): string {
  const random = createRandom(seed, `nostr ${clock.now()} ${clock.monotonicNs()}`);
  return Array.from(
    { length: LIMITS.nostrLength },
    () => NOSTR_ALPHABET[Math.floor(random() * NOSTR_ALPHABET.length)],
  ).join('');
}

async function send(
  { profile, address, partner }: TokenSource,
  body: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  const { tokenFields } = profile.signature;
  const signed =
    tokenFields === 'all'
      ? body
      : Object.fromEntries(Object.entries(body).filter(([name]) => tokenFields.includes(name)));
  const { ca, cert, key } = address.tls ?? {};
  const connect = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const agent = new Agent({ connect, maxResponseSize: ANSWER_LIMIT_BYTES });
  try {
    const answer = await request(`${profile.baseUrl}${TOKEN_PATH}`, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        ...profile.headers,
        'content-type': 'application/json',
        authorization: `Bearer ${partner.id}|${sign(signed, partner.signingKey)}`,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FareproofError(
      'TARGET_UNREACHABLE',
      `${profile.baseUrl} could not be asked for a token (${code ?? message}); check that it runs and that baseUrl is right.`,
      { cause: error },
    );
  } finally {
    await agent.destroy();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
