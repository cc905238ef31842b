import { expect } from 'vitest';
import type { EstimateFields } from '../../../../src/answers/estimate-record.ts';
import type { Fields, TokenAnswer } from '../../../../src/conformance/service/contract/messages.ts';
import type {
  Observation,
  Seen,
  SeenEstimate,
  SeenToken,
} from '../../../../src/conformance/service/contract/observation.ts';
import type { Shape } from '../../../../src/conformance/service/contract/target.ts';
import type { Judgement } from '../../../../src/conformance/verdict.ts';
import { ESTIMATE_RECORD } from '../../../support/estimate-record.ts';

/** A conforming record of the query of {@link estimate}. */
export const RECORD: EstimateFields = ESTIMATE_RECORD;

let count = 0;

/** A conforming token answer, with changes. */
function tokenAnswer(changes: Partial<TokenAnswer> = {}): TokenAnswer {
  const json = {
    access_token: 'a',
    refresh_token: 'r',
    expires_in_second: 3600,
    token_type: 'bearer',
    scope: 'public',
  };
  return {
    exchange: `x${++count}`,
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
    truncated: false,
    json,
    outcome: 'accepted',
    failure: '',
    sentAtMs: 0,
    answeredAtMs: 0,
    accessToken: 'a',
    refreshToken: 'r',
    expiresInSeconds: 3600,
    ...changes,
  };
}

/** A token request and its answer. */
export function token(
  answer: Partial<TokenAnswer> = {},
  fields: Fields = { grant_type: 'client_credentials' },
): SeenToken {
  return {
    answer: tokenAnswer(answer),
    fields,
    partnerId: 'p-1',
    isWellFormed: true,
    firstOfFresh: false,
    isRested: false,
  };
}

/** A successful estimate with these records. */
export function estimate(
  records: readonly unknown[],
  { shape = 'plain', as = 'platform', ...answer }: EstimateChanges = {},
): SeenEstimate {
  const objects = records.filter((one): one is EstimateFields => one?.constructor === Object);
  return {
    answer: {
      ...tokenAnswer(),
      json: records,
      body: JSON.stringify(records),
      ...answer,
      records: objects,
    },
    query: { product_type: 'private-car', ride_type: 'compact' },
    shape,
    as,
  };
}

interface EstimateChanges extends Partial<SeenEstimate['answer']> {
  readonly shape?: Shape | null;
  readonly as?: 'platform' | 'user';
}

/** Traffic of a run of a metered target, where a single answer is enough for a pass. */
export function seen(parts: Partial<Seen> = {}): Seen {
  const requests = parts.requests ?? parts.tokens ?? [];
  return {
    requests,
    tokens: requests.filter(({ answer }) => answer.outcome === 'accepted'),
    estimates: [],
    facts: { shapes: ['plain', 'express', 'carpoolSeats', 'carpoolNoSeats'], metered: true },
    ...parts,
  };
}

/** Judges one rule of a list over some traffic. */
export function judged(
  observations: readonly Observation[],
  rule: string,
  traffic: Partial<Seen>,
): Judgement {
  const found = observations.find((one) => one.rule === rule);
  expect(found?.rule).toBe(rule);
  return found!.judge(seen(traffic));
}
