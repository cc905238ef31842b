import type { AgentResult } from '../../documents/load.ts';
import type { AgentPart } from '../agents/agent-progress.ts';
import type { GeneratorReport } from '../engine/engine.ts';
import type { LoadPlan } from '../plan.ts';
import { countPlanned } from '../plan.ts';
import { roundTo3 } from '../record/histogram.ts';
import { highestOf, mergeRecords, sumOf } from '../record/merge.ts';

/** Parts of a run by agent, and what is known of each. */
export interface AgentsOfRun {
  readonly plan: LoadPlan;
  readonly parts: readonly AgentPart[];
  /** By generator. */
  readonly reports: readonly GeneratorReport[];
  /** The measured window, shorter than planned where the run was ended early. */
  readonly measuredMs: number;
}

/** Figures of each agent of a run, lost ones included. */
export function agentResults({ plan, parts, reports, measuredMs }: AgentsOfRun): AgentResult[] {
  return parts.map(({ name, cores, range, clockErrorUs, missingUpdates }) => {
    const own = reports.slice(range.from, range.from + range.count);
    const merged = mergeRecords(own.map(({ record }) => record));
    const lag = merged.sendLag.summary();
    const lost = own.find((report) => report.lost !== undefined)?.lost;
    const indexes = own.map((_, index) => range.from + index);
    return {
      name,
      workers: range.count,
      cores,
      ...(clockErrorUs !== undefined && { clockErrorUs: roundTo3(clockErrorUs) }),
      sent: merged.sent,
      cpu: sumOf(own.map(({ usage }) => usage.cpu)),
      coreWait: highestOf(own.map(({ usage }) => usage.coreWait)),
      eventLoopUtilization: roundTo3(
        Math.max(...own.map(({ usage }) => usage.eventLoopUtilization)),
      ),
      sendLagP99Us: lag.count === 0 ? null : lag.p99,
      ...(missingUpdates > 0 && { missingUpdates }),
      ...(lost && {
        lost: {
          atS: roundTo3(lost.atS),
          how: lost.how,
          requestsUnaccounted: unaccounted(plan, indexes, reports, measuredMs),
        },
      }),
    };
  });
}

/** Sentences on what makes a run with agents invalid: losses, and updates that did not arrive. */
export function agentReasons(agents: readonly AgentResult[]): string[] {
  return agents.flatMap(({ name, lost, missingUpdates = 0 }) => [
    ...(lost ? [lossInWords(name, lost)] : []),
    ...(missingUpdates > 0
      ? [
          `${missingUpdates} update${missingUpdates === 1 ? '' : 's'} of agent ${name} did not arrive: its seconds have gaps.`,
        ]
      : []),
  ]);
}

function lossInWords(
  name: string,
  { atS, how, requestsUnaccounted }: NonNullable<AgentResult['lost']>,
): string {
  const why = how === 'ended' ? 'its process or connection ended' : 'it answered no more';
  const share =
    requestsUnaccounted === null
      ? 'its requests since its last report are unaccounted for'
      : `${requestsUnaccounted} of its requests are unaccounted for`;
  return `Agent ${name} was lost at ${atS.toFixed(1)} s (${why}); ${share}.`;
}

/** Requests of the window that were planned for lost generators, and whose outcome is unknown. */
function unaccounted(
  plan: LoadPlan,
  generators: readonly number[],
  reports: readonly GeneratorReport[],
  measuredMs: number,
): number | null {
  if (plan.model === 'closed') return null;
  return generators
    .filter((generator) => reports[generator]?.lost !== undefined)
    .map((generator) => {
      const { ok, failed } = reports[generator]!.record;
      return Math.max(0, countPlanned(plan, generator, measuredMs) - ok - failed);
    })
    .reduce((sum, count) => sum + count, 0);
}
