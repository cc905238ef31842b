import type { ComparedSide } from '../../documents/comparison.ts';
import { spreadOf } from '../result/spread.ts';
import type { NamedRun } from './sides.ts';

/** Absolute figures of both sides of a comparison, and their names. */
export function describeSides(
  base: readonly NamedRun[],
  candidate: readonly NamedRun[],
): { a: ComparedSide; b: ComparedSide } {
  return { a: describeSide(base), b: describeSide(candidate) };
}

function describeSide(runs: readonly NamedRun[]): ComparedSide {
  return { label: labelOf(runs), spread: spreadOf(runs) };
}

/** `staging, https://rides.example.test: old/run-1.json and 9 more`. */
function labelOf(runs: readonly NamedRun[]): string {
  const [first, ...others] = runs;
  if (first === undefined) return 'no runs';
  const targets = runs.map(({ target: { name, baseUrl } }) => `${name}, ${baseUrl}`);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${[...new Set(targets)].join(' and ')}: ${first.name}${more}`;
}
