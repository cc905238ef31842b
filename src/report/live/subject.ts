import type { ThresholdTerms } from '../../documents/load.ts';

/** The subject of a live page. */
export interface LiveSubject {
  /** The command whose page it is. */
  readonly kind: 'load' | 'certify' | 'serve';
  /** Such as `Load on staging`. */
  readonly title: string;
  /** State before the first event, such as `Listening`. */
  readonly state: string;
  /** Facts for the reader; no secret. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Thresholds of a load run; those on response time are drawn. */
  readonly thresholds?: readonly ThresholdTerms[] | undefined;
}
