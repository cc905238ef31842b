import type { Tool } from '../../documents/base.ts';
import type { LoadDocument, LoadSetDocument, ThresholdTerms } from '../../documents/load.ts';
import {
  type FindMaxResult,
  findMax,
  type LoadOptions,
  type PairsDocument,
  type PlannedLoad,
  planLoad,
  type RunContext,
  type RunOutput,
  RunSeries,
  runPairs,
  runSet,
  stageStartsMs,
  withOutput,
} from '../../load/index.ts';
import { PAIRS } from '../../load/options.ts';
import { TOOL } from '../tool.ts';

/** Document of a load: of one run, of several, of a search, or of a comparison. */
export type LoadOutcome =
  | LoadDocument
  | LoadSetDocument
  | (FindMaxResult & { tool: Tool })
  | PairsDocument;

/** Load that is asked for. */
export interface AskedLoad {
  readonly options: LoadOptions;
  /** Number of runs, or of pairs against a base. */
  readonly runs?: number | undefined;
  /** Difference of a comparison that does not matter. */
  readonly marginPercent?: number | undefined;
}

/** Load that is checked and ready to run. */
export interface PreparedLoad {
  /** Such as `open model, 2000/s`. */
  readonly description: string;
  readonly thresholds: readonly ThresholdTerms[];
  /** Start of each stage, seconds from the start of the measured window; left out of a search. */
  readonly stages?: readonly { readonly startS: number }[];
  run(output: RunOutput): Promise<LoadOutcome>;
}

/**
 * Plans the load on a target, and on the base that it is compared with where there is one.
 *
 * @throws ConfigurationError as planLoad, before anything is sent
 */
export async function prepareLoad(
  { options, runs, marginPercent }: AskedLoad,
  target: RunContext,
  base: RunContext | null,
): Promise<PreparedLoad> {
  const planned = await planLoad({ ...options, ...target });
  const { thresholds } = planned;
  if (planned.isSearch) {
    return {
      description: 'the highest rate',
      thresholds,
      run: async (output) => ({ ...(await findMax(withOutput(planned, output))), tool: TOOL }),
    };
  }
  const stages = stageStartsMs(planned.plan).map((startMs) => ({ startS: startMs / 1000 }));
  const prepared = { description: modelInWords(planned), thresholds, stages };
  if (base !== null) {
    const baseLoad = await planLoad({ ...options, ...base });
    return {
      ...prepared,
      run: (output) =>
        runPairs({
          base: withOutput(baseLoad, output),
          candidate: withOutput(planned, output),
          pairs: runs ?? PAIRS,
          marginPercent,
          tool: TOOL,
        }),
    };
  }
  return {
    ...prepared,
    run: (output) => {
      const told = withOutput(planned, output);
      return runs !== undefined && runs > 1
        ? runSet(told, { runs, tool: TOOL })
        : new RunSeries(TOOL).run(told);
    },
  };
}

function modelInWords({ plan, options: { stages, rate } }: PlannedLoad): string {
  if (plan.model === 'closed') return `closed model, ${plan.connections} connections`;
  return stages === undefined ? `open model, ${rate}/s` : 'open model, in stages';
}
