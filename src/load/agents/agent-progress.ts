import type { AgentLoss, GeneratorRange } from '../engine/engine.ts';
import { highestOf, sumOf } from '../record/merge.ts';
import type { GeneratorState } from '../record/run-records.ts';

/** An agent's part of a run. */
export interface AgentPart {
  readonly name: string;
  readonly cores: number;
  readonly range: GeneratorRange;
  /** The offset of its clock was known to this, microseconds; left out where no clock was compared. */
  readonly clockErrorUs?: number | undefined;
  /** Updates that did not arrive. */
  readonly missingUpdates: number;
  readonly lost?: AgentLoss | undefined;
}

/** Figures of an agent so far, and its health over the last second that it reported. */
export interface AgentProgress extends Omit<AgentPart, 'range'> {
  readonly workers: number;
  /** Requests of the measured window whose outcome it has reported. */
  readonly sent: number;
  readonly cpu: number | null;
  readonly coreWait: number | null;
  readonly sendLagP99Us: number | null;
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
