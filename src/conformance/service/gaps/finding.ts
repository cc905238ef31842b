import type { ErrorCondition, GapId } from '../../../interface/gaps.ts';
import type { Answer } from '../contract/answer.ts';

/** How a target answers a question that the interface leaves open. */
export interface GapFinding {
  /** The setting of a behaviour file; left out where none says it. */
  readonly value?: unknown;
  /** For a reader. */
  readonly words: string;
  /** Ids of exchanges that show it. */
  readonly exchanges?: readonly string[] | undefined;
}

/** A gap as it stands in a run document: what was observed, or why nothing was. */
export interface GapObservation {
  readonly id: string;
  readonly question: string;
  readonly observed: GapFinding | null;
  /** Why nothing was observed. */
  readonly note?: string | undefined;
}

/** A refusal that a probe met, and the condition of the gap `error-status` that it stands for. */
export type MetRefusal = readonly [ErrorCondition, Answer];

/** Findings of the probes of one run. */
export interface ProbeResults {
  readonly findings: Map<GapId, GapFinding>;
  readonly refusals: MetRefusal[];
}
