import type { Exchange } from '../exchange.ts';
import type { RuleResult } from '../verdict.ts';
import { type ClientRecord, judgeClient, overallVerdict, type ScenarioResult } from './judge.ts';
import type { ParsedRequest } from './traffic/parsed-request.ts';

/** The part of a stored run document that a client can be judged by again. */
export interface StoredCertification {
  readonly exchanges: readonly (Exchange & { readonly observed?: ParsedRequest | undefined })[];
  readonly scenarios?: readonly Partial<ScenarioResult>[] | undefined;
}

/**
 * Judges stored exchanges again, without sending anything; null where the document does not hold
 * what was observed. What a signature turned out to be is kept, not found again: its key is not
 * stored.
 */
export function recheckClient(stored: StoredCertification):
  | ({
      readonly rules: readonly RuleResult[];
      readonly scenarios: readonly ScenarioResult[];
    } & ReturnType<typeof overallVerdict>)
  | null {
  const observed = stored.exchanges.flatMap((exchange) => exchange.observed ?? []);
  if (observed.length < stored.exchanges.length) return null;
  const scenarios = stored.scenarios ?? [];
  const records = scenarios.flatMap(({ name, record, exitCode = null }): ClientRecord[] =>
    record === undefined
      ? []
      : [{ ...record, exitCode, observed: observed.filter(({ scenario }) => scenario === name) }],
  );
  if (records.length < scenarios.length) return null;
  if (scenarios.length === 0) {
    records.push({ frame: null, judges: [], exitCode: null, complete: false, observed });
  }
  const judgement = judgeClient(records);
  return { ...judgement, ...overallVerdict(judgement) };
}
