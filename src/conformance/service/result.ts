import type { RuleResult } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { StoredTarget } from '../../documents/stored-target.ts';
import type { RunVerdict } from '../verdict.ts';
import type { SpendByKind } from './budget/spend-counter.ts';
import type { ObservedGap } from './gaps/finding.ts';

/** Result of a run on a service: its document without the fields of the command line. */
export interface ServiceResult extends RunVerdict {
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
  readonly rules: readonly RuleResult[];
  readonly gaps: readonly ObservedGap[];
  readonly spend: Readonly<Record<string, SpendByKind>>;
  readonly exchanges: readonly Exchange[];
  /** Facts of each target from before anything was sent. */
  readonly sites: readonly StoredTarget[];
  readonly notes: readonly string[];
  readonly interrupted?: true;
}
