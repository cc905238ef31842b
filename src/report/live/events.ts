import type { SeriesPoint } from '../../documents/load.ts';
import type { LastSecond, ShownProgress } from '../console/load-progress.ts';
import type { ShownAgent } from '../text/tables.ts';

/** Progress of a load run. */
export interface LiveProgress extends Omit<ShownProgress, 'soFar' | 'seconds'>, LastSecond {
  readonly kind: 'progress';
  readonly maxUs: number;
  readonly ok: number;
  /** The agents, where they run the generators. */
  readonly agents?: readonly ShownAgent[] | undefined;
}

/** A rule that a request broke. */
export interface LiveViolation {
  readonly rule: string;
  readonly level: 'must' | 'should';
  readonly expected: string;
  readonly got: string;
}

/** A request that has been answered; without query, headers and body. */
export interface LiveRequest {
  readonly kind: 'request';
  /** Id of its exchange; null if requests are not judged. */
  readonly id: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly scenario: string | null;
  readonly method: string;
  readonly path: string;
  /** Null if no answer was sent. */
  readonly status: number | null;
  /** From the last byte of the request to the end of its answer; null if not measured. */
  readonly durationUs: number | null;
  /** Reason of a refusal in one to three words; null for none, or where unknown. */
  readonly refusal: string | null;
  /** Rules that it broke; null if requests are not judged. */
  readonly broken: readonly LiveViolation[] | null;
}

/** Totals over all requests. */
export interface LiveTally {
  readonly kind: 'tally';
  readonly requests: number;
  /** Requests with status 200, or without violation where they are judged. */
  readonly good: number;
  /** Number of requests by broken rule, or by reason of refusal. */
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}

/** State of a scenario of a certification. */
export interface LiveScenario {
  readonly kind: 'scenario';
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'ended' | 'pass' | 'fail' | 'warn' | 'inconclusive';
  readonly requests: number;
  /** Reason of the verdict. */
  readonly reason: string;
}

/** Measurements of one second; replaces an earlier event of the same second. */
export type LivePoint = { readonly kind: 'point'; readonly point: SeriesPoint };

/** An event of a live page. Its texts may come from the network. */
export type LiveEvent =
  /** A run begins: `run 3 of 10`, or empty for a single one. What was shown of the last is cleared. */
  | { readonly kind: 'begin'; readonly label: string }
  | LiveProgress
  | LivePoint
  /** A line of the log, such as the result of a trial. */
  | { readonly kind: 'line'; readonly text: string }
  | LiveRequest
  | LiveTally
  | LiveScenario;
