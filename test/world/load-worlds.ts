import { LOAD_INVARIANTS } from './load-invariants.ts';
import { drawLoadPlan, type LoadWorldPlan, OF_AGENTS } from './load-plan.ts';
import { runLoadWorld } from './load-world.ts';
import { judge, type WorldKind, without } from './world-kind.ts';

/** Worlds in which a load is put on a target. */
export const LOAD_WORLDS: WorldKind<LoadWorldPlan> = {
  draw: drawLoadPlan,

  run: async (plan) => {
    const met: Record<string, number> = {};
    const occasions = { 'a run ends with a result': 1 };
    try {
      const history = await runLoadWorld(plan, met);
      met[history.document.verdict] = 1;
      const judged = await judge(LOAD_INVARIANTS, history);
      return { plan, met, ...judged, occasions: { ...occasions, ...judged.occasions } };
    } catch (error) {
      const what = String((error as Error).stack);
      return { plan, met, occasions, breaches: [{ invariant: 'a run ends with a result', what }] };
    }
  },

  smaller: (plan) => [
    ...without(plan.faults).map((faults) => ({ ...plan, faults })),
    ...without(plan.target.faults).map((faults) => ({
      ...plan,
      target: { ...plan.target, faults },
    })),
    ...without(plan.thresholds).map((thresholds) => ({ ...plan, thresholds })),
    ...(plan.abortOn === null ? [] : [{ ...plan, abortOn: null }]),
    ...(plan.interruptedAtMs === null ? [] : [{ ...plan, interruptedAtMs: null }]),
    ...(plan.agents && !plan.faults.some(({ kind }) => OF_AGENTS.includes(kind))
      ? [{ ...plan, agents: false }]
      : []),
    ...(plan.generators > 1 ? [{ ...plan, generators: plan.generators - 1 }] : []),
    ...(plan.warmupMs > 0 ? [{ ...plan, warmupMs: 0 }] : []),
    ...(plan.newConnections ? [{ ...plan, newConnections: false }] : []),
  ],
};
