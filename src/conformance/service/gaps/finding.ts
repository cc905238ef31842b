import type { GapFinding, GapObservation } from '../../../documents/conformance.ts';
import type { ErrorCondition, GapId } from '../../../interface/gaps.ts';
import type { Answer } from '../contract/messages.ts';

/** A gap as a run writes it into its document. */
export interface ObservedGap extends Pick<GapObservation, 'id' | 'question' | 'note'> {
  readonly observed: GapFinding | null;
}

/** A refusal of a probe's request, and the condition of the gap `error-status` that it shows. */
export type MetRefusal = readonly [ErrorCondition, Answer];

/** Findings of the probes of one run. */
export interface ProbeResults {
  readonly findings: Map<GapId, GapFinding>;
  readonly refusals: MetRefusal[];
}
