import { CHECK_INVARIANTS, hasWhole, withoutEnds } from './check-invariants.ts';
import { CheckWorld } from './check-world.ts';
import { type CheckPlan, drawCheckPlan } from './plan.ts';
import { judge, type WorldKind, without } from './world-kind.ts';

/** Worlds in which a service is checked. */
export const CHECK_WORLDS: WorldKind<CheckPlan> = {
  draw: drawCheckPlan,

  run: async (plan) => {
    const world = new CheckWorld(plan);
    const faults = withoutEnds(plan.faults);
    const twin = hasWhole(plan) ? new CheckWorld({ ...plan, faults }) : null;
    try {
      const history = await world.run();
      const whole = twin ? await twin.run() : null;
      const judged = await judge(CHECK_INVARIANTS, { history, whole });
      return { plan, met: history.met, ...judged };
    } finally {
      world.close();
      twin?.close();
    }
  },

  smaller: (plan) => [
    ...without(plan.faults).map((faults) => ({ ...plan, faults })),
    ...without(plan.styles).map((styles) => ({ ...plan, styles })),
    // No rules would be all of them.
    ...(plan.rules.length > 1 ? without(plan.rules) : []).map((rules) => ({ ...plan, rules })),
    ...without(plan.partners).map((partners) => ({ ...plan, partners })),
    ...(plan.waits ? [{ ...plan, waits: false }] : []),
    ...(plan.allowBan ? [{ ...plan, allowBan: false }] : []),
    ...(plan.requests > 0 ? [{ ...plan, requests: 0 }] : []),
  ],
};
