import { isObject } from '../../../answers/estimate-record.ts';
import { parseAsItCame } from '../../../answers/json-text.ts';
import { isLate } from '../../model/asked.ts';
import { parseJson } from '../../parse-json.ts';
import type { Answer, EstimateAnswer, Expects, TokenAnswer } from '../contract/messages.ts';
import type { RequestResult } from '../http/message.ts';

/** Answer of either endpoint. */
function answerOf({ id, outcome, sentAtMs, answeredAtMs }: RequestResult): Answer {
  const { response, error } = outcome;
  const json = response ? parseJson(response.body, parseAsItCame) : undefined;
  return {
    exchange: id,
    status: response?.status ?? 0,
    headers: response?.headers ?? {},
    body: response?.body ?? '',
    truncated: response?.truncated ?? false,
    json,
    outcome: !response ? 'broken' : response.status === 200 ? 'accepted' : 'refused',
    failure: error ? `${error.message} (${error.code})` : '',
    sentAtMs,
    answeredAtMs,
  };
}

/**
 * Answer of the token endpoint.
 *
 * @param expects the answer that the request must get
 * @param time its `_`; left out where the target does not check it
 */
export function tokenAnswerOf(
  result: RequestResult,
  expects: Expects,
  time?: unknown,
): TokenAnswer {
  const answer = answerOf(result);
  const json = isObject(answer.json) ? answer.json : {};
  const { access_token, refresh_token, expires_in_second: expires } = json;
  const accessToken = usableText(access_token);
  // A request that gets a token with another 2xx breaks token/response-status, and is a success for all
  // other rules; for one that must be refused, any status but 200 is a refusal, whatever its body.
  const success =
    Math.trunc(answer.status / 100) === 2 && accessToken !== null && expects !== 'refused';
  // Requests wait for their turn where the rate is limited.
  const tooLate = expects === 'accepted' && !success && isLate(time, answer.sentAtMs);
  return {
    ...answer,
    outcome: success ? 'accepted' : tooLate ? 'broken' : answer.outcome,
    failure: tooLate ? 'it had waited for its turn until its _ was too old' : answer.failure,
    accessToken,
    refreshToken: usableText(refresh_token),
    expiresInSeconds: typeof expires === 'number' && expires > 0 ? expires : null,
  };
}

/** Answer of the estimate endpoint. */
export function estimateAnswerOf(result: RequestResult): EstimateAnswer {
  const answer = answerOf(result);
  const list = Array.isArray(answer.json) ? (answer.json as unknown[]) : [];
  return { ...answer, records: list.filter(isObject) };
}

/** A text that can be sent in a header; null for any other value. */
export function usableText(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : null;
}
