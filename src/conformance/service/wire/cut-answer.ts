import type { Exchange, Headers } from '../../../documents/exchange.ts';

/** The answer of an exchange, as documents store it. */
export type StoredAnswer = NonNullable<Exchange['response']>;

/**
 * Leaves out a part of an answer, and says how much.
 *
 * @param body start of the stored body, which is kept
 * @param headers header fields that are kept
 */
export function cutAnswer(answer: StoredAnswer, body: string, headers: Headers): StoredAnswer {
  const fields = (all: Headers): number => Object.keys(all).length;
  const received = answer.truncated ? answer.bodyBytes : Buffer.byteLength(answer.body);
  const cut = {
    bodyBytes: Math.max(0, received - Buffer.byteLength(body)),
    headerFields: (answer.cut?.headerFields ?? 0) + fields(answer.headers) - fields(headers),
  };
  return { ...answer, headers, body, truncated: true, cut };
}
