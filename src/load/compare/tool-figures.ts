import { z } from 'zod';
import { ConfigurationError } from '../../interface/index.ts';

/** Figures of one run of autocannon, as a comparison reads them: quantiles only, and no histogram. */
export interface ToolFigures {
  readonly kind: 'figures';
  readonly toolName: 'autocannon';
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly achieved: {
    /** Answers a second. */
    readonly rate: number;
    readonly planned: number;
    readonly ok: number;
    readonly failed: number;
  };
  /** Quantiles in microseconds. */
  readonly latencyUs: {
    readonly response: { readonly [of in 'p50' | 'p90' | 'p99']: number };
  };
  /** Resolution of the quantiles, microseconds. */
  readonly stepUs: number;
  /** True if the quantiles are of the successful requests alone. */
  readonly ofSuccesses: boolean;
}

const figure = z.number().min(0);
const count = z.int().min(0);

const autocannonSchema = z.object({
  start: z.iso.datetime(),
  finish: z.iso.datetime(),
  '2xx': count,
  non2xx: count,
  errors: count,
  latency: z.object({ p50: figure, p90: figure, p99: figure }),
  requests: z.object({ average: figure }),
});

const US_PER_MS = 1000;

/**
 * Reads a file that autocannon wrote (`--json`); null for a document of another kind.
 *
 * Its times are whole milliseconds, cut: each lies somewhere in the millisecond after the stored one.
 *
 * @param name of the file, which every message starts with
 * @throws ConfigurationError `COMPARE_FILE_KIND` for a file of autocannon that lacks a figure
 */
export function readToolFigures(json: unknown, name: string): ToolFigures | null {
  if (typeof json !== 'object' || json === null || 'schemaVersion' in json) return null;
  if (!('latency' in json && 'non2xx' in json)) return null;
  const result = autocannonSchema.safeParse(json);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigurationError(
      'COMPARE_FILE_KIND',
      `${name}: looks like a result of autocannon, but ${issue?.path.join('.')} is missing or wrong (${issue?.message}); give the file as autocannon wrote it.`,
    );
  }
  const { start, finish, '2xx': ok, non2xx, errors, latency, requests } = result.data;
  const failed = non2xx + errors;
  const us = (ms: number): number => (ms + 0.5) * US_PER_MS;
  return {
    kind: 'figures',
    toolName: 'autocannon',
    startedAt: start,
    finishedAt: finish,
    achieved: { rate: requests.average, planned: ok + failed, ok, failed },
    latencyUs: { response: { p50: us(latency.p50), p90: us(latency.p90), p99: us(latency.p99) } },
    stepUs: US_PER_MS,
    ofSuccesses: false,
  };
}

/** Meaning of the figures of autocannon, and what they leave out. */
export const MEANING_OF_FIGURES =
  'whole milliseconds, of responses of any status. Unless it ran with --overallRate, which the file does not say, it is a closed model: what a stall kept from being sent is not in its percentiles.';
