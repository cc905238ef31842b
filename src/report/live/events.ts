import type { SeriesPoint } from '../../documents/load.ts';

/** A run begins, on a page that may have shown others before: what they drew is cleared away. */
export interface LiveBegin {
  readonly kind: 'begin';
  /** Which run of several, such as `run 3 of 10`; empty where there is but one. */
  readonly label: string;
}

/** How a load run stands; microseconds, requests a second, seconds. */
export interface LiveStanding {
  readonly kind: 'standing';
  readonly phase: string;
  readonly elapsedS: number;
  readonly totalS: number;
  readonly plannedRate: number | null;
  readonly rate: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  readonly ok: number;
  readonly failed: number;
}

/** What was measured in one second; a later event of the same second stands in its place. */
export interface LivePoint {
  readonly kind: 'point';
  readonly point: SeriesPoint;
}

/** A line that stays, such as how a trial came out. */
export interface LiveLine {
  readonly kind: 'line';
  readonly text: string;
}

/** A rule that a request broke. */
export interface LiveBreach {
  readonly rule: string;
  readonly level: 'must' | 'should';
  readonly expected: string;
  readonly got: string;
}

/** A request that came in, answered by now; no query, no header, no body. */
export interface LiveRequest {
  readonly kind: 'request';
  /** As the words about broken rules name it; null where requests are not judged. */
  readonly id: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly scenario: string | null;
  readonly method: string;
  readonly path: string;
  /** Null where no answer went out. */
  readonly status: number | null;
  /** From the whole request to the end of its answer; null where it is not measured. */
  readonly durationUs: number | null;
  /** Why it was refused, in a word or three; null for what was not, or is not known. */
  readonly refusal: string | null;
  /** Rules that it broke; null where requests are not judged. */
  readonly broken: readonly LiveBreach[] | null;
}

/** What all requests so far came to. */
export interface LiveTally {
  readonly kind: 'tally';
  readonly requests: number;
  /** Requests with status 200, or that broke no rule where they are judged. */
  readonly good: number;
  /** How often each rule was broken, or each refusal given. */
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}

/** Where a scenario of a certification stands. */
export interface LiveScenario {
  readonly kind: 'scenario';
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'over' | 'pass' | 'fail' | 'warn' | 'inconclusive';
  readonly requests: number;
  /** Why, once it is judged. */
  readonly reason: string;
}

/** The command is done; nothing comes after it. */
export interface LiveEnd {
  readonly kind: 'end';
  readonly verdict: string;
  readonly tone: 'good' | 'bad' | 'caution' | 'unknown' | 'neutral';
  readonly sentence: string;
  /** Path of the report's page; null where none was written. */
  readonly report: string | null;
}

/** What a live page is told. Text may come from the wire: the page shows it as text and nothing else. */
export type LiveEvent =
  | LiveBegin
  | LiveStanding
  | LivePoint
  | LiveLine
  | LiveRequest
  | LiveTally
  | LiveScenario
  | LiveEnd;
