import type { AgentLoss, GeneratorUpdate } from '../engine/engine.ts';
import type { GeneratorSample } from '../record/series.ts';
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

/** Counts the requests of each generator as its updates come in, and keeps its last health. */
export class GeneratorTallies {
  readonly #sent = new Map<number, number>();
  readonly #samples = new Map<number, GeneratorSample>();

  take(generator: number, { seconds, sample }: GeneratorUpdate): void {
    const sent = seconds.reduce((sum, { ok, failed }) => sum + ok + failed, 0);
    this.#sent.set(generator, (this.#sent.get(generator) ?? 0) + sent);
    if (sample) this.#samples.set(generator, sample);
  }

  /** Adds up the generators of each agent: cores and requests, of the rest the highest. */
  byAgent(parts: readonly AgentPart[]): AgentProgress[] {
    return parts.map(({ name, cores, range, clockErrorUs, missingUpdates, lost }) => {
      const own = Array.from({ length: range.count }, (_, at) => range.from + at);
      const samples = own.flatMap((generator) => this.#samples.get(generator) ?? []);
      return {
        name,
        workers: range.count,
        cores,
        sent: own.reduce((sum, generator) => sum + (this.#sent.get(generator) ?? 0), 0),
        cpu: lost ? null : sumOf(samples.map(({ cpu }) => cpu)),
        coreWait: lost ? null : highestOf(samples.map(({ coreWait }) => coreWait)),
        sendLagP99Us: lost ? null : highestOf(samples.map(({ sendLagP99Us }) => sendLagP99Us)),
        clockErrorUs,
        missingUpdates,
        ...(lost && { lost }),
      };
    });
  }
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function highestOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
