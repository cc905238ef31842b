import type { Answer, EstimateAnswer, EstimateFields, TokenAnswer } from '../contract/answer.ts';
import type { Exchanged } from './target-client.ts';

/** Builds the answer from an exchange, whatever was asked. */
function answerOf({ id, outcome, sentAtMs, answeredAtMs }: Exchanged): Answer {
  const { response, error } = outcome;
  const json = response ? parseJson(response.body) : undefined;
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

/** Builds the answer of the token endpoint from an exchange. */
export function tokenAnswerOf(exchanged: Exchanged): TokenAnswer {
  const answer = answerOf(exchanged);
  const json = isObject(answer.json) ? answer.json : {};
  const { access_token, refresh_token, expires_in_second: expires } = json;
  const accessToken = usableText(access_token);
  // A token with another 2xx breaks token/response-status; for all other rules it is a success.
  const success = Math.trunc(answer.status / 100) === 2 && accessToken !== null;
  return {
    ...answer,
    outcome: success ? 'accepted' : answer.outcome,
    accessToken,
    refreshToken: usableText(refresh_token),
    expiresInSeconds: typeof expires === 'number' && expires > 0 ? expires : null,
  };
}

/** Builds the answer of the estimate endpoint from an exchange. */
export function estimateAnswerOf(exchanged: Exchanged): EstimateAnswer {
  const answer = answerOf(exchanged);
  const list = Array.isArray(answer.json) ? (answer.json as unknown[]) : [];
  return { ...answer, records: list.filter(isObject) };
}

function isObject(value: unknown): value is EstimateFields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Text that can be sent back in a header. */
export function usableText(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : null;
}

/** The value that a text is as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
