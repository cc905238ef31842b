import {
  ALLOWANCE_OF_GRANT,
  causeShownBy,
  explainFailure,
  FareproofError,
  type GrantType,
  LIMITS,
  type ProfilePartner,
  remedyOfFailure,
  remedyOfRefusal,
  type TargetProfile,
  TOKEN_PATH,
  tokenResponseSchema,
} from '../../interface/index.ts';
import type { Redactor } from '../../redaction/index.ts';
import { type Allowance, NOTHING_LEFT } from '../../spending/index.ts';
import type { LoadClock } from '../clock.ts';
import type { LoadIdentity } from '../options.ts';
import { redactorFor, redactText } from '../record/fault-sample.ts';
import { createRandom } from '../seeded-random.ts';
import type { TargetAddress } from '../target-address.ts';
import { signPart } from '../workload/requests.ts';
import { type PostAnswer, postJson } from './post.ts';

/** The access token of a run. */
export interface AccessToken {
  partnerId: string;
  value: string;
  /** Null if the profile gave the token, which is used as it is. */
  refreshToken: string | null;
  /** Time at which it was asked for, in ms since the epoch. */
  askedAtMs: number;
  /** Time that it is valid for, as the target says; null if unknown. */
  lifeMs: number | null;
}

/** Partner and target of token requests. */
export interface TokenSource {
  profile: TargetProfile;
  address: TargetAddress;
  partner: ProfilePartner;
  clock: LoadClock;
  seed: number;
  /** Null if token requests are not metered. */
  allowance: Allowance | null;
  /** Breaks off a request for the first token; a refresh is awaited, as requests of the run wait for it. */
  signal?: AbortSignal | undefined;
}

/** Characters of a refusal that are shown. */
const SHOWN_LENGTH = 300;

const NOSTR_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Takes the token of a run: the profile's own, or one platform token, or one user token by the first
 * auth code that is still good (interface.md, "1. Request, refresh or exchange a token"). What is
 * sent is taken from the allowance first.
 *
 * @throws FareproofError `TOKEN_REFUSED`, `TARGET_UNREACHABLE`, `TOKEN_ANSWER_MALFORMED` or `INTERRUPTED`,
 *   and as {@link Allowance.spend}
 */
export async function firstToken(
  source: TokenSource,
  identity: LoadIdentity,
): Promise<AccessToken> {
  const { allowance } = source;
  const { id: partnerId, accessToken: value } = source.partner;
  const askedAtMs = source.clock.now();
  if (value !== undefined) return { partnerId, value, refreshToken: null, askedAtMs, lifeMs: null };
  if (identity === 'user') return takeUserToken(source);
  await allowance?.spend(partnerId, ['platform']);
  return requestToken(source, 'client_credentials', {});
}

/** A refused code may have been sent by others; as many are tried as a day allows. */
async function takeUserToken(source: TokenSource): Promise<AccessToken> {
  const { partner, allowance } = source;
  for (let attempt = 1, refused: FareproofError | null = null; ; attempt++) {
    try {
      const code = allowance
        ? await allowance.spendCode(partner.id, partner.authCodes)
        : codeAt(partner, attempt - 1);
      return await requestToken(source, 'authorization_code', { auth_code: code });
    } catch (error) {
      if (!(error instanceof FareproofError)) throw error;
      if (NOTHING_LEFT.has(error.code)) throw refused ?? error;
      if (error.code !== 'TOKEN_REFUSED' || attempt === LIMITS.userTokensPerDay) throw error;
      refused = error;
    }
  }
}

function codeAt({ id, authCodes }: ProfilePartner, index: number): string {
  const code = authCodes[index];
  if (code !== undefined) return code;
  throw new FareproofError('AUTH_CODES_USED_UP', `Partner ${id} has no further auth code.`);
}

/** Replaces a token by its refresh_token, used up whatever comes back; throws as {@link firstToken}. */
export async function refreshToken(source: TokenSource, spent: string): Promise<AccessToken> {
  await source.allowance?.spend(source.partner.id, ['refresh']);
  return requestToken({ ...source, signal: undefined }, 'refresh_token', { refresh_token: spent });
}

async function requestToken(
  source: TokenSource,
  grant: GrantType,
  fields: Readonly<Record<string, string>>,
): Promise<AccessToken> {
  const { partner, clock } = source;
  const askedAtMs = clock.now();
  const body = {
    grant_type: grant,
    ...fields,
    _: new Date(askedAtMs).toISOString(),
    nostr: makeNostr(source),
  };
  const { signature, text, ...received } = await send(source, body);
  const { status } = received;
  const { baseUrl } = source.profile;
  if (status !== 200) {
    const nowMs = clock.now();
    const skewMs = (Date.parse(received.headers.date ?? '') || nowMs) - nowMs;
    const answer = { ...received, body: text, skewMs };
    const shown = causeShownBy(answer, baseUrl);
    // A cause that the answer shows is not what earlier runs spent, and its partner is not banned for it.
    const mayBeUsedUp =
      shown === null &&
      ((await source.allowance?.refused(partner.id, fields['auth_code'])) ?? false);
    const words = wordsOf(text, redactorOfRequest(source, fields, signature));
    const finding = shown?.finding ? ` ${shown.finding}` : '';
    throw new FareproofError(
      'TOKEN_REFUSED',
      `${baseUrl} answered ${status} to a token request (${grant}) of partner ${partner.id}${words}.${finding} ${remedyOfRefusal(answer, baseUrl, { mayBeUsedUp })}`,
    );
  }
  await source.allowance?.accepted(partner.id, [ALLOWANCE_OF_GRANT[grant]]);
  const answer = tokenResponseSchema.safeParse(parseJson(text));
  if (!answer.success) {
    throw new FareproofError(
      'TOKEN_ANSWER_MALFORMED',
      `${baseUrl} answered 200 to a token request, and the body is not a token response; run check on it.`,
    );
  }
  return {
    partnerId: partner.id,
    value: answer.data.access_token,
    refreshToken: answer.data.refresh_token,
    askedAtMs,
    lifeMs: answer.data.expires_in_second * 1000,
  };
}

/** Knows the secrets of a profile, and those of a token request. */
function redactorOfRequest(
  { profile, address, partner }: TokenSource,
  fields: Readonly<Record<string, string>>,
  signature: string,
): Redactor {
  const redactor = redactorFor(profile, address);
  redactor.add('signing_key', partner.signingKey, partner.id);
  redactor.add('signature', signature);
  for (const kind of ['auth_code', 'refresh_token'] as const) {
    if (fields[kind] !== undefined) redactor.add(kind, fields[kind]);
  }
  return redactor;
}

/** The target's own words on a refusal, on one line and without secrets; empty for an empty body. */
function wordsOf(text: string, redactor: Redactor): string {
  const words = redactText(text, redactor).replaceAll(/\s+/g, ' ').trim();
  if (words === '') return '';
  const shown = words.length > SHOWN_LENGTH ? `${words.slice(0, SHOWN_LENGTH)} …` : words;
  return ` (${shown})`;
}

/** The time is part of the stream, so that a later run with the same seed sends another nostr. */
function makeNostr({ seed, clock }: TokenSource): string {
  const random = createRandom(seed, `nostr ${clock.now()} ${clock.monotonicNs()}`);
  return Array.from(
    { length: LIMITS.nostrLength },
    () => NOSTR_ALPHABET[Math.floor(random() * NOSTR_ALPHABET.length)],
  ).join('');
}

async function send(
  { profile, address, partner, signal }: TokenSource,
  body: Readonly<Record<string, string>>,
): Promise<PostAnswer & { readonly signature: string }> {
  const signature = signPart(body, profile.signature.tokenFields, partner);
  const headers = { ...profile.headers, authorization: `Bearer ${partner.id}|${signature}` };
  try {
    const url = `${profile.baseUrl}${TOKEN_PATH}`;
    return { ...(await postJson({ url, headers, body, tls: address.tls, signal })), signature };
  } catch (error) {
    if (error instanceof FareproofError) throw error;
    const failure = explainFailure(error);
    const { baseUrl } = profile;
    const remedy = remedyOfFailure(failure, {
      baseUrl,
      hasCertificate: address.tls?.cert !== undefined,
    });
    throw new FareproofError(
      'TARGET_UNREACHABLE',
      `${baseUrl} could not be asked for a token: ${failure.message} (${failure.code}). ${remedy}`,
      { cause: error },
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
