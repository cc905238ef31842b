import { checkService, FULL_SUITE } from '../../../conformance/index.ts';
import { findRule, type ServiceRuleId } from '../../../interface/index.ts';
import { FAULTS } from '../../../server/index.ts';
import { startEmbedded } from '../check/targets.ts';
import type { SelfcheckSide } from './side.ts';

const TIMEOUT_MS = 10_000;

/** The checker of services, tested with the reference server with one rule broken. */
export const serviceSide: SelfcheckSide = {
  trials: FAULTS.map(({ id, how, breaks }) => ({ rule: findRule(id)!, how, breaks })),
  inParallel: null,
  judge: async (fault, seed) => {
    const subject = await startEmbedded(fault === null ? [] : [fault as ServiceRuleId]);
    try {
      const { rules } = await checkService({
        target: subject.target,
        companion: subject.companion,
        suite: FULL_SUITE,
        seed,
        wall: Date.now,
        monotonic: () => performance.now(),
        timeoutMs: TIMEOUT_MS,
        maxRate: null,
        allowBan: false,
        requireComplete: false,
      });
      return rules.map(({ id, level, verdict, reason }) => ({ id, level, verdict, reason }));
    } finally {
      await subject.close();
    }
  },
};
