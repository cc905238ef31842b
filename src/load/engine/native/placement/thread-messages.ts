import type { GeneratorReport, GeneratorUpdate } from '../../generator-report.ts';
import type { GeneratorTask } from '../generator-base.ts';

/** Data that a generator's thread starts with. */
export type ThreadData = Pick<GeneratorTask, 'plan' | 'requests' | 'generator' | 'accessToken'>;

/** Messages to a generator's thread. */
export type ToThread =
  | { kind: 'start'; startNs: number }
  | { kind: 'token'; accessToken: string }
  | { kind: 'pause' }
  | { kind: 'resume'; accessToken: string }
  | { kind: 'abort' };

/** Messages from a generator's thread. */
export type FromThread =
  | { kind: 'ready' }
  | { kind: 'paused' }
  | { kind: 'update'; update: GeneratorUpdate }
  | { kind: 'report'; report: GeneratorReport };
