import type { AllowanceKind } from '../../interface/limits.ts';
import type { Exchange } from '../exchange.ts';
import type { RuleResult, Verdict } from '../verdict.ts';
import type { GapObservation } from './gaps/probes.ts';
import type { StoredTarget } from './recheck/stored-target.ts';

/** A partner's token requests by allowance. */
export type SpendByKind = Readonly<Record<AllowanceKind, number>>;

/** A run that judged a service: the run document without what only the command line knows. */
export interface ServiceResult {
  readonly kind: 'conformance';
  readonly side: 'service';
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly environment: string;
  };
  readonly suite: string;
  readonly seed: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** ISO 8601. */
  readonly finishedAt: string;
  readonly verdict: 'conformant' | 'not-conformant' | 'incomplete';
  /** Whether every rule that the suite asks for was judged. */
  readonly complete: boolean;
  readonly summary: Readonly<Record<Verdict, number>>;
  readonly rules: readonly RuleResult[];
  readonly gaps: readonly GapObservation[];
  readonly spend: Readonly<Record<string, SpendByKind>>;
  readonly exchanges: readonly Exchange[];
  /** What was known of each target before anything was sent. */
  readonly sites: readonly StoredTarget[];
  readonly notes: readonly string[];
  readonly interrupted?: true;
}
