import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { AllowanceKind } from '../../interface/limits.ts';
import type { ParsedExchange } from './evidence/exchange-record.ts';
import type { ClientRecord } from './judging/client-record.ts';
import { type JudgedClient, judgeClient } from './judging/judge-client.ts';
import type { Orders } from './judging/orders.ts';
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
