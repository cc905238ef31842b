import type { Exchange } from '../../documents/exchange.ts';
import type { ParsedRequest } from '../../documents/parsed-request.ts';
import { type ClientRecord, listeningRecord } from './judging/client-record.ts';
import { type JudgedClient, judgeClient } from './judging/judge-client.ts';
import type { Orders } from './judging/orders.ts';
import type { ScenarioResult } from './judging/scenario-result.ts';

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
