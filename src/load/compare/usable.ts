import type { LoadDocument } from '../../documents/load.ts';
import { median } from '../record/median.ts';

/** Fields of a run that say whether it can be compared; files of other tools lack them. */
export interface JudgedRun {
  readonly verdict?: LoadDocument['verdict'] | undefined;
  readonly invalidBy?: LoadDocument['invalidBy'];
  readonly model?: LoadDocument['model'] | undefined;
  readonly generator?: Pick<LoadDocument['generator'], 'sendLagUs'> | undefined;
}

/**
 * True for a run whose response times can be compared: a valid one, or one of the open model whose generator
 * was late and nothing else, since its send lag is known. In the closed model a late generator sends less.
 */
export const isUsable = ({ verdict, invalidBy, model }: JudgedRun): boolean =>
  verdict !== 'invalid' || (invalidBy === 'lateness' && model === 'open');

type LatenessQuantile = 'p50' | 'p90' | 'p99';

/** Lateness of both sides at a quantile, microseconds, from the median send lag of each. */
export function latenessUs(
  base: readonly JudgedRun[],
  candidate: readonly JudgedRun[],
  at: LatenessQuantile,
): {
  /** By which the times of the sides may differ. */
  readonly between: number;
  /** Of the later side. */
  readonly most: number;
} {
  const ofSide = (runs: readonly JudgedRun[]): number =>
    median(runs.map(({ generator }) => generator?.sendLagUs?.[at] ?? 0));
  const [a, b] = [ofSide(base), ofSide(candidate)];
  return { between: Math.abs(a - b), most: Math.max(a, b) };
}
