import type { GapFinding } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import { GAPS, type GapId } from '../../../interface/gaps.ts';
import type { Check } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { dayBoundary } from './day-boundary.ts';
import { errorBody, errorStatus } from './error-answers.ts';
import {
  contentType,
  mapTypes,
  otherMethod,
  rateLimit,
  unknownTypes,
  userTokenPlatformHeader,
  versionPolicy,
} from './estimate.ts';
import type { ObservedGap, ProbeResults } from './finding.ts';
import { type GapProbe, probeCheck } from './probe.ts';
import { banReach, extendsBan, failedRequestsCount, userQuotaReach } from './quota.ts';
import { booleans, decodedOrEncoded, hexCase, slashInList, textZero } from './signature.ts';
import { future, nostrReplay, replayConsequence, unknownScope, withoutOffset } from './token.ts';
import {
  carTypes,
  payTypes,
  rateSeen,
  readTraffic,
  signedEstimateFields,
  signedTokenFields,
  type Traffic,
  tokenType,
} from './traffic.ts';

/** Source of the answer to a gap: a probe, or the requests that were sent for the rules. */
interface GapSource {
  readonly probe?: GapProbe;
  readonly traffic?: (traffic: Traffic) => GapFinding | undefined;
}

/** Every gap and its source; probes run in this order. */
const GAP_SOURCES: Readonly<Record<GapId, GapSource>> = {
  // Probes that wait for the clock come first.
  'refused-request-extends-ban': { probe: extendsBan },
  'day-boundary': { probe: dayBoundary },
  'failed-requests-count': { probe: failedRequestsCount },
  'ban-reach': { probe: banReach },
  'user-quota-reach': { probe: userQuotaReach },

  'signed-fields-token': { traffic: signedTokenFields },
  'signed-fields-estimate': { traffic: signedEstimateFields },
  'signed-booleans-and-objects': { probe: booleans },
  'text-zero-signed': { probe: textZero },
  'slash-in-list': { probe: slashInList },
  'signature-hex-case': { probe: hexCase },
  'estimate-signed-decoded-or-encoded': { probe: decodedOrEncoded },

  'timestamp-without-offset': { probe: withoutOffset },
  'timestamp-future': { probe: future },
  'nostr-replay': { probe: nostrReplay },
  'unknown-scope': { probe: unknownScope },
  'refresh-replay-consequence': { probe: replayConsequence },
  'token-type-spelling': { traffic: tokenType },

  'estimate-content-type-required': { probe: contentType },
  'user-token-platform-header': { probe: userTokenPlatformHeader },
  'version-policy': { probe: versionPolicy },
  'map-types': { probe: mapTypes },
  'unknown-product-type': { probe: unknownTypes },
  'unknown-ride-type': { probe: unknownTypes },
  'no-estimate-answer': { probe: unknownTypes },
  'car-type-codes': { traffic: carTypes },
  'pay-type-codes': { traffic: payTypes },
  'estimate-rate-limit': { probe: rateLimit, traffic: rateSeen },

  'error-status': { probe: otherMethod, traffic: errorStatus },
  'error-body': { traffic: errorBody },
};

/** Every probe as a check that adds to the results; planned after all others. */
export function probeChecks(results: ProbeResults): Check[] {
  const gapsOf = new Map<GapProbe, GapId[]>();
  for (const [gap, { probe }] of Object.entries(GAP_SOURCES) as [GapId, GapSource][])
    if (probe) gapsOf.set(probe, [...(gapsOf.get(probe) ?? []), gap]);
  return [...gapsOf].map(([probe, gaps]) => probeCheck(gaps, probe, results));
}

/**
 * Every gap with its finding, from its probe or from the traffic.
 *
 * @param exchanges exchanges with one target, secrets redacted
 * @param notFound reason why a probe found nothing, by gap
 */
export function observeGaps(
  exchanges: readonly Exchange[],
  facts: Facts,
  { findings, refusals }: ProbeResults,
  notFound: ReadonlyMap<string, string>,
): ObservedGap[] {
  const traffic = readTraffic(exchanges, facts, refusals);
  return GAPS.map(({ id, question }) => {
    const observed = findings.get(id) ?? GAP_SOURCES[id].traffic?.(traffic) ?? null;
    if (observed) return { id, question, observed };
    return { id, question, observed, note: notFound.get(id) ?? 'no request of this run shows it' };
  });
}
