import type { Tool } from '../../../documents/base.ts';
import type { LoadDocument, LoadSetDocument, ThresholdTerms } from '../../../documents/load.ts';
import type {
  FindMaxResult,
  LoadOptions,
  PairsDocument,
  PlannedLoad,
} from '../../../load/index.ts';
import { TOOL } from '../../tool.ts';
import type { LoadSettings } from './settings.ts';
import type { LoadTarget } from './target.ts';
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

/** The options of a run on a target. */
export function optionsFor(
  settings: LoadSettings,
  target: LoadTarget,
  signal: AbortSignal,
): LoadOptions {
  const { options, otlp } = settings;
  const onRecords = otlp?.listenerFor(target.options.profile);
  return { ...options, ...target.options, signal, onRecords };
}

/**
 * Plans the load on a target, and on the base that it is compared with where there is one.
 *
 * @throws ConfigurationError as planLoad and findMax, before anything is sent
 */
export async function planAsked(
  settings: LoadSettings,
  { target, base }: { target: LoadTarget; base: LoadTarget | null },
  signal: AbortSignal,
): Promise<AskedLoad> {
  const { findMax, planLoad, RunSeries, runPairs, runSet, stageStartsMs } = await import(
    '../../../load/index.ts'
  );
  const { objective, runs, marginPercent } = settings;
  if (objective !== null) {
    const search = { ...optionsFor(settings, target, signal), objective };
    return {
      description: 'the highest rate',
      thresholds: objective,
      run: async (watch) => ({ ...(await watch.search(search, findMax)), tool: TOOL }),
    };
  }
  const load = await planLoad(optionsFor(settings, target, signal));
  const stages = stageStartsMs(load.plan).map((startMs) => ({ startS: startMs / 1000 }));
  const asked = { description: modelInWords(load), thresholds: load.thresholds, stages };
  if (base !== null) {
    const baseLoad = await planLoad(optionsFor(settings, base, signal));
    const pairs = { base: baseLoad, candidate: load, pairs: runs, marginPercent, tool: TOOL };
    return { ...asked, run: (observer) => runPairs({ ...pairs, observer }) };
  }
  return {
    ...asked,
    run: (observer) =>
      runs > 1
        ? runSet(load, { runs, tool: TOOL, observer })
        : new RunSeries(TOOL, observer).run(load),
  };
}

function modelInWords({ plan, options: { rate } }: PlannedLoad): string {
  if (plan.model === 'closed') return `closed model, ${plan.connections} connections`;
  return rate === undefined ? 'open model, in stages' : `open model, ${rate}/s`;
}
