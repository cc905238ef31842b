import type { Tool } from '../../../documents/base.ts';
import type { LoadDocument, LoadSetDocument, ThresholdTerms } from '../../../documents/load.ts';
import type {
  FindMaxResult,
  LoadFlags,
  PairsDocument,
  PlannedLoad,
  RunContext,
} from '../../../load/index.ts';
import { PAIRS, runOptionsOf } from '../../../load/options.ts';
import { readPercent } from '../../flags/numbers.ts';
import { TOOL } from '../../tool.ts';
import type { LoadWatch } from './watch.ts';

/** A document of `load`: of one run, of several, of a search, or of a comparison. */
export type LoadOutcome =
  | LoadDocument
  | LoadSetDocument
  | (FindMaxResult & { tool: Tool })
  | PairsDocument;

/** The load that the flags ask for, checked and ready to run. */
export interface AskedLoad {
  /** Such as `open model, 2000/s`. */
  readonly description: string;
  readonly thresholds: readonly ThresholdTerms[];
  /** Start of each stage, seconds from the start of the measured window; left out of a search. */
  readonly stages?: readonly { readonly startS: number }[];
  run(watch: LoadWatch): Promise<LoadOutcome>;
}

/**
 * Plans the load on a target, and on the base that it is compared with where there is one.
 *
 * @throws ConfigurationError as planLoad, before anything is sent
 */
export async function planAsked(
  flags: LoadFlags,
  { target, base }: { target: RunContext; base: RunContext | null },
): Promise<AskedLoad> {
  const { findMax, planLoad, RunSeries, runPairs, runSet, stageStartsMs } = await import(
    '../../../load/index.ts'
  );
  const marginPercent = readPercent(flags.margin?.toString(), 'margin');
  const options = runOptionsOf(flags);
  const load = await planLoad({ ...options, ...target });
  const { thresholds } = load;
  if (load.isSearch) {
    return {
      description: 'the highest rate',
      thresholds,
      run: async (watch) => ({ ...(await watch.search(load, findMax)), tool: TOOL }),
    };
  }
  const stages = stageStartsMs(load.plan).map((startMs) => ({ startS: startMs / 1000 }));
  const asked = { description: modelInWords(load), thresholds, stages };
  if (base !== null) {
    const baseLoad = await planLoad({ ...options, ...base });
    const { runs: pairs = PAIRS } = flags;
    const paired = { base: baseLoad, candidate: load, pairs, marginPercent, tool: TOOL };
    return { ...asked, run: (observer) => runPairs({ ...paired, observer }) };
  }
  const { runs = 1 } = flags;
  return {
    ...asked,
    run: (observer) =>
      runs > 1
        ? runSet(load, { runs, tool: TOOL, observer })
        : new RunSeries(TOOL, observer).run(load),
  };
}

function modelInWords({ plan, options: { stages, rate } }: PlannedLoad): string {
  if (plan.model === 'closed') return `closed model, ${plan.connections} connections`;
  return stages === undefined ? `open model, ${rate}/s` : 'open model, in stages';
}
