import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { ParsedRequest } from '../../documents/parsed-request.ts';
import type { AllowanceKind } from '../../interface/limits.ts';
import type { ParsedExchange } from './evidence/exchange-record.ts';
import { type JudgedClient, judgeClient } from './judging/judge-client.ts';
import { type ClientRecord, listeningRecord, type Orders } from './judging/rule-result.ts';
import type { ScenarioResult } from './judging/scenario-result.ts';
import { allowanceOf } from './traffic/request-fields.ts';

/** The run document of a client, without what only the command line knows. */
export interface ClientResult
  extends Omit<ConformanceDocument, 'schemaVersion' | 'tool' | keyof JudgedClient>,
    JudgedClient {
  readonly side: 'client';
  readonly exchanges: readonly ParsedExchange[];
  readonly notes: readonly string[];
}

/** The fields of a result that do not follow from the records. */
export type RunFacts = Pick<
  ClientResult,
  'target' | 'suite' | 'seed' | 'startedAt' | 'finishedAt' | 'exchanges' | 'notes'
>;

/** Judges a client by its records; pure. */
export function clientResult(
  records: readonly ClientRecord[],
  orders: Orders,
  facts: RunFacts,
): ClientResult {
  const { exchanges, notes, ...run } = facts;
  const { rules, scenarios, ...verdict } = judgeClient(records, orders);
  return {
    kind: 'conformance',
    side: 'client',
    ...run,
    ...verdict,
    rules,
    gaps: [],
    spend: spendOf(records),
    exchanges,
    scenarios,
    notes,
  };
}

function spendOf(records: readonly ClientRecord[]): ClientResult['spend'] {
  const spend: Record<string, Record<AllowanceKind, number>> = {};
  for (const request of records.flatMap(({ requests }) => requests)) {
    const { partnerId } = request.authorization;
    const kind = request.kind === 'token' ? allowanceOf(request) : null;
    if (kind === null || partnerId === null || request.sender !== 'client') continue;
    spend[partnerId] ??= { platform: 0, user: 0, refresh: 0 };
    spend[partnerId][kind]++;
  }
  return spend;
}

/** The parts of a stored run document by which a client can be judged again. */
export interface StoredCertification {
  readonly exchanges: readonly (Exchange & { readonly observed?: ParsedRequest | undefined })[];
  readonly scenarios?: readonly Partial<ScenarioResult>[] | undefined;
  readonly orders?: Orders | undefined;
}

/**
 * Judges stored exchanges again, without sending anything. Signature diagnoses are taken from the
 * document: the signing keys are not stored.
 *
 * @returns null if the document lacks the parsed requests
 */
export function recheckClient(stored: StoredCertification): JudgedClient | null {
  const requests = stored.exchanges.flatMap(({ observed }) => observed ?? []);
  if (requests.length < stored.exchanges.length) return null;
  const { scenarios = [], orders = null } = stored;
  if (scenarios.length === 0) return judgeClient([listeningRecord(requests, false)], orders);
  const records = scenarios.flatMap(({ name, record, exitCode = null }): ClientRecord | [] =>
    record === undefined
      ? []
      : { ...record, exitCode, requests: requests.filter(({ scenario }) => scenario === name) },
  );
  return records.length < scenarios.length ? null : judgeClient(records, orders);
}
