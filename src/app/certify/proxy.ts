import { setTimeout as sleep } from 'node:timers/promises';
import { meteredRequest } from '../../conformance/index.ts';
import { readCertificates } from '../../files/certificates.ts';
import { ConfigurationError, FareproofError } from '../../interface/errors.ts';
import type { TargetProfile } from '../../interface/index.ts';
import { Forwarder, type ForwardGuard, type Interceptor } from '../../server/index.ts';
import {
  type Allowance,
  allowanceIn,
  ledgerFile,
  NOTHING_LEFT,
  startsAnew,
} from '../../spending/index.ts';
import type { Surroundings } from '../surroundings.ts';

/** Ledger of what a client spends through a proxy. */
export interface AskedSpending {
  /** Path of the ledger; undefined for that of the user. */
  readonly ledger: string | undefined;
  readonly serviceRestarted: boolean | undefined;
}

/** Target and ledger of a proxy. */
export interface ProxyPlace extends AskedSpending {
  readonly profile: TargetProfile;
  readonly signal: AbortSignal;
}

/**
 * Opens a proxy in front of the target of a profile. What it forwards as a partner is in the ledger first; a token
 * request beyond an allowance is not forwarded, and the client gets 429 with the reason.
 *
 * @throws ConfigurationError `PROXY_EMBEDDED` for a profile without an address; FareproofError as the ledger
 */
export async function openProxy(
  place: ProxyPlace,
  observer: Interceptor,
  surroundings: Surroundings,
): Promise<Forwarder> {
  const { baseUrl, headers, partners } = place.profile;
  if (baseUrl === 'embedded') {
    throw new ConfigurationError(
      'PROXY_EMBEDDED',
      (name) =>
        `the profile names no address; leave ${name('proxy')} out to listen on the embedded server.`,
      { field: 'proxy' },
    );
  }
  const allowance = allowanceOfClient(place, surroundings);
  // A ledger that cannot be used is known before the first request.
  for (const { id } of partners.slice(0, 1)) await allowance.left(id, 'platform');
  const guard = spendFirst(place.profile, allowance, surroundings);
  return new Forwarder({ baseUrl, headers, ...readCertificates(place.profile) }, observer, guard);
}

function allowanceOfClient(
  { profile, ledger, serviceRestarted, signal }: ProxyPlace,
  surroundings: Surroundings,
): Allowance {
  return allowanceIn(
    ledgerFile(ledger, surroundings, (line) => surroundings.note(line)),
    {
      baseUrl: profile.baseUrl,
      startsAnew: startsAnew(profile, serviceRestarted),
      instead: ['let the client be another partner'],
    },
    { now: Date.now, sleep: (forMs) => sleep(forMs, undefined, { signal }) },
  );
}

function spendFirst(
  { partners, headers }: TargetProfile,
  allowance: Allowance,
  { note }: Pick<Surroundings, 'note'>,
): ForwardGuard {
  const ids = partners.map(({ id }) => id);
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return async (request, forward) => {
    const sent = { ...request, headers: { ...request.headers, ...own } };
    const metered = meteredRequest(sent, ids);
    if (metered === null) return forward();
    const { partnerId, kinds, authCode } = metered;
    try {
      await allowance.spend(partnerId, kinds, authCode);
    } catch (error) {
      if (!(error instanceof FareproofError)) throw error;
      note(error.message);
      return {
        status: NOTHING_LEFT.has(error.code) ? 429 : 503,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        body: `Not forwarded: ${error.message}`,
      };
    }
    const answer = await forward();
    // The client does not wait for a fact that only refusals of later runs are explained by.
    if (answer.status === 200) allowance.accepted(partnerId, kinds).catch(() => undefined);
    return answer;
  };
}
