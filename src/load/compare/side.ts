import type { ComparedSide } from '../../documents/comparison.ts';
import { spreadOf } from '../result/spread.ts';
import type { ComparedSides, NamedBench, NamedFigures, NamedRun } from './sides.ts';
import { isUsable } from './usable.ts';

/** Names that both sides of a comparison were given. */
export interface SideNames {
  readonly base?: string | undefined;
  readonly candidate?: string | undefined;
}

/** Absolute figures of both sides of a comparison, and their names. */
export function describeSides(
  { base, candidate }: ComparedSides,
  names: SideNames = {},
): { a: ComparedSide; b: ComparedSide } {
  return { a: describeSide(base, names.base), b: describeSide(candidate, names.candidate) };
}

function describeSide(
  runs: readonly (NamedRun | NamedFigures | NamedBench)[],
  name: string | undefined,
): ComparedSide {
  const loads = runs.filter((run): run is NamedRun => run.kind === 'load');
  return {
    ...(name !== undefined && { name }),
    label: labelOf(runs, loads),
    spread: spreadOf(loads, isUsable),
  };
}

/** `staging, https://rides.example.test: old/run-1.json and 9 more`; of benches only the files. */
function labelOf(
  runs: readonly { readonly name: string }[],
  loads: readonly Pick<NamedRun, 'target'>[],
): string {
  const [first, ...others] = runs;
  if (first === undefined) return 'no runs';
  const targets = new Set(loads.map(({ target: { name, baseUrl } }) => `${name}, ${baseUrl}`));
  const files = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
  return targets.size === 0 ? files : `${[...targets].join(' and ')}: ${files}`;
}
