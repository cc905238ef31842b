import type { Exchange, GapFinding } from '../../../documents/sealed.ts';
import { GAPS, type GapId } from '../../../interface/gaps.ts';
import type { Check } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { estimateProbes } from './estimate.ts';
import { type GapProbe, type ObservedGap, type ProbeResults, probeCheck } from './probe.ts';
import { quotaProbes } from './quota.ts';
import { signatureProbes } from './signature.ts';
import { tokenProbes } from './token.ts';
import { tokenLifeProbes } from './token-life.ts';
import { readTraffic, TRAFFIC_READERS, type Traffic } from './traffic.ts';

/** Probes by gap, in the order in which they run. */
const PROBES = {
  ...quotaProbes,
  ...signatureProbes,
  ...tokenProbes,
  ...tokenLifeProbes,
  ...estimateProbes,
};

/** Gaps that no request shows, with the reason. */
const NOT_SHOWN = {
  'states-and-transitions':
    'no request shows it: a service has no endpoint that names its states, and the transitions that the interface states are rules',
  'ride-and-user-endpoints':
    'no request shows it: the interface names no path, and a guessed one proves nothing; a request for a ride may order one',
  events: 'no request shows it: the interface names no way to receive them',
} satisfies { readonly [gap in GapId]?: string };

const REASONS: { readonly [gap in GapId]?: string } = NOT_SHOWN;

/**
 * Finding of a gap in the traffic; a gap without a probe, a reader and a reason why there is none
 * does not compile.
 */
function readFrom(
  traffic: Traffic,
  gap: keyof typeof PROBES | keyof typeof TRAFFIC_READERS | keyof typeof NOT_SHOWN,
): GapFinding | undefined {
  return gap in TRAFFIC_READERS
    ? TRAFFIC_READERS[gap as keyof typeof TRAFFIC_READERS](traffic)
    : undefined;
}

/** Every probe as a check that adds to the results; planned after all others. */
export function probeChecks(results: ProbeResults): Check[] {
  const gapsOf = new Map<GapProbe, GapId[]>();
  for (const [gap, probe] of Object.entries(PROBES) as [GapId, GapProbe][])
    gapsOf.set(probe, [...(gapsOf.get(probe) ?? []), gap]);
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
    const [probed, read] = [findings.get(id), readFrom(traffic, id)];
    // A probe that is sent at a rate that the run has learned meets no limit.
    const isMissed = probed?.value === 'none' && read?.value !== undefined && read.value !== 'none';
    const observed = (isMissed ? read : (probed ?? read)) ?? null;
    if (observed) return { id, question, observed: { ...observed, words: `${observed.words}` } };
    const note = notFound.get(id) ?? REASONS[id] ?? 'no request of this run shows it';
    return { id, question, observed, note };
  });
}
