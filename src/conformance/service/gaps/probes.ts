import type { Exchange } from '../../../documents/exchange.ts';
import { GAPS } from '../../../interface/gaps.ts';
import type { Facts } from '../contract/target.ts';
import { estimateProbes } from './estimate.ts';
import type { GapBook, GapProbe, Sighting } from './probe.ts';
import { quotaProbes } from './quota.ts';
import { seenInPassing } from './seen.ts';
import { signatureProbes } from './signature.ts';
import { tokenProbes } from './token.ts';

/** Every probe, those that wait for the clock first. */
export const GAP_PROBES: readonly GapProbe[] = [
  ...quotaProbes,
  ...signatureProbes,
  ...tokenProbes,
  ...estimateProbes,
];

/** A gap as it stands in a run document: what was observed, or why nothing was. */
export interface GapObservation {
  readonly id: string;
  readonly question: string;
  readonly observed: Sighting | null;
  /** Why nothing was observed. */
  readonly note?: string | undefined;
}

/**
 * Every gap of the register with what was seen of it: by its probe, or else in passing.
 *
 * @param exchanges with the one target, secrets redacted
 * @param notLooked why a probe did not come to anything, by gap
 */
export function observeGaps(
  exchanges: readonly Exchange[],
  facts: Facts,
  book: GapBook,
  notLooked: ReadonlyMap<string, string>,
): GapObservation[] {
  const passing = seenInPassing(exchanges, facts, book);
  return GAPS.map(({ id, question }) => {
    const probed = book.seen.get(id);
    const observed = probed && 'words' in probed ? probed : (passing[id] ?? null);
    if (observed) return { id, question, observed };
    const why = probed && 'unseen' in probed ? probed.unseen : notLooked.get(id);
    return { id, question, observed: null, note: why ?? 'nothing that was sent shows it' };
  });
}
