import type { AgentLoss } from '../engine/engine.ts';
import { highestOf, sumOf } from '../record/merge.ts';
import type { GeneratorState } from '../record/run-records.ts';
import type { AgentPart } from './pool.ts';

/** Figures of an agent so far, and its health over the last second that it reported. */
export interface AgentProgress {
  readonly name: string;
  readonly workers: number;
  readonly cores: number;
  /** Requests of the measured window whose outcome it has reported. */
  readonly sent: number;
  readonly cpu: number | null;
  readonly coreWait: number | null;
  readonly sendLagP99Us: number | null;
  readonly clockErrorUs?: number | undefined;
  readonly missingUpdates: number;
  readonly lost?: AgentLoss | undefined;
}

/** Adds up the generators of each agent: cores and requests, of the rest the highest. */
export function agentProgress(
  parts: readonly AgentPart[],
  generators: readonly GeneratorState[],
): AgentProgress[] {
  return parts.map(({ range, ...part }) => {
    const own = generators.slice(range.from, range.from + range.count);
    const requests = own.flatMap(({ record }) => record?.parts ?? []);
    const samples = part.lost ? [] : own.flatMap(({ sample }) => sample ?? []);
    return {
      ...part,
      workers: range.count,
      sent: requests.reduce((sum, { ok, failed }) => sum + ok + failed, 0),
      cpu: sumOf(samples.map(({ cpu }) => cpu)),
      coreWait: highestOf(samples.map(({ coreWait }) => coreWait)),
      sendLagP99Us: highestOf(samples.map(({ sendLagP99Us }) => sendLagP99Us)),
    };
  });
}
