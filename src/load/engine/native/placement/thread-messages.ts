import type { LoadPlan } from '../../../plan/plan.ts';
import type { GeneratorReport, GeneratorUpdate } from '../../generator-report.ts';

/** What a generator's thread starts with. */
export interface ThreadData {
  plan: LoadPlan;
  generator: number;
  accessToken: string;
}

/** Told to a generator's thread. */
export type ToThread =
  | { kind: 'start'; startNs: number }
  | { kind: 'token'; accessToken: string }
  | { kind: 'pause' }
  | { kind: 'resume'; accessToken: string }
  | { kind: 'abort' };

/** Told by a generator's thread. */
export type FromThread =
  | { kind: 'ready' }
  | { kind: 'paused' }
  | { kind: 'update'; update: GeneratorUpdate }
  | { kind: 'report'; report: GeneratorReport };
