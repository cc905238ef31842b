import {
  ConfigurationError,
  FareproofError,
  type ProfilePartner,
  type TargetProfile,
} from '../../interface/index.ts';
import type { LoadIdentity } from '../options.ts';
import { postJson } from './post.ts';

/**
 * The partners that a run may load as, in the order in which they are tried: only the one with a token
 * of its own where there is one, since that costs no allowance; else those for general use.
 *
 * @throws ConfigurationError `PARTNER_MISSING`
 */
export function partnersFor(
  profile: TargetProfile,
  identity: LoadIdentity,
): readonly [ProfilePartner, ...ProfilePartner[]] {
  const usable = profile.partners.filter(
    ({ authCodes, accessToken }) =>
      identity === 'platform' || accessToken !== undefined || authCodes.length > 0,
  );
  const own = usable.find(({ accessToken }) => accessToken !== undefined);
  if (own) return [own];
  const [first, ...others] = usable.filter(({ use }) => use === 'general');
  if (first) return [first, ...others];
  if (usable[0]) return [usable[0]];
  throw new ConfigurationError(
    'PARTNER_MISSING',
    identity === 'user'
      ? 'Load as a user needs a partner with authCodes, or with an accessToken of a user.'
      : 'The profile has no partner; add one with its id and signingKey under partners.',
  );
}

/**
 * Makes a partner with whole allowances by the target's control API; for load as a user with an auth
 * code.
 *
 * @param signal breaks it off
 * @throws FareproofError `CONTROL_FAILED` or `INTERRUPTED`
 */
export async function makeFreshPartner(
  control: NonNullable<TargetProfile['control']>,
  identity: LoadIdentity,
  signal?: AbortSignal,
): Promise<ProfilePartner> {
  const { partnerId, signingKey } = await post(control, '/partners', {}, signal);
  if (typeof partnerId !== 'string' || typeof signingKey !== 'string') {
    throw controlFailed('POST /partners answered no partnerId and signingKey');
  }
  const partner = { id: partnerId, signingKey, use: 'general' as const };
  if (identity === 'platform') return { ...partner, authCodes: [] };
  const { authCode } = await post(control, '/auth-codes', { partnerId, userId: 'load' }, signal);
  if (typeof authCode !== 'string') throw controlFailed('POST /auth-codes answered no authCode');
  return { ...partner, authCodes: [authCode] };
}

async function post(
  { url, token }: NonNullable<TargetProfile['control']>,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const { status, text } = await postJson({ url: url + path, headers, body, signal });
    const value = JSON.parse(text) as Record<string, unknown> | null;
    if (Math.trunc(status / 100) === 2 && value !== null) return value;
    throw controlFailed(`POST ${path} answered ${status}`);
  } catch (error) {
    if (error instanceof FareproofError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw controlFailed(`POST ${path}: ${code ?? message}`);
  }
}

function controlFailed(what: string): FareproofError {
  return new FareproofError(
    'CONTROL_FAILED',
    `The control API: ${what}; check control.url and control.token in the profile.`,
  );
}
