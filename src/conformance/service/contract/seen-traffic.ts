import type { Answer, Expects } from './messages.ts';
import type { Seen, SeenEstimate, SeenToken } from './observation.ts';

/**
 * Bytes that a run may keep of what its checks saw: many times what a run gets of usual answers. Tokens
 * have theirs, so that long estimates leave them room.
 */
const MOST_BYTES = { tokens: 8 * 1024 * 1024, estimates: 14 * 1024 * 1024 } as const;

/** Memory of a value of JSON, with what garbage collection leaves of it, and of an answer without its body. */
const VALUE_BYTES = 80;
const ANSWER_BYTES = 1024;

/**
 * Collects what the checks of a run see, for the rules that are judged by it. Of a target with long
 * answers, those beyond the limit are kept without content, as if they had been too long to be read.
 */
export class SeenTraffic {
  readonly #requests: SeenToken[] = [];
  readonly estimates: SeenEstimate[] = [];
  /** Statuses with which token requests were refused that must be. */
  readonly #refusals = new Set<number>();
  readonly #left: Record<keyof typeof MOST_BYTES, number> = { ...MOST_BYTES };

  readonly tokenSeen = (seen: SeenToken, expects: Expects): void => {
    const { answer } = seen;
    if (expects === 'refused') {
      if (answer.outcome === 'refused') this.#refusals.add(answer.status);
      return;
    }
    const unread = { ...answer, ...UNREAD };
    this.#requests.push(this.#fits('tokens', answer) ? seen : { ...seen, answer: unread });
  };

  readonly estimateSeen = (seen: SeenEstimate): void => {
    const { answer } = seen;
    const unread = { ...answer, ...UNREAD, records: [] };
    this.estimates.push(this.#fits('estimates', answer) ? seen : { ...seen, answer: unread });
  };

  /** All that was seen so far, in the order of sending. */
  seen(facts: Seen['facts']): Seen {
    const requests = inOrder(this.#requests);
    return {
      requests: requests.filter(({ isWellFormed }) => isWellFormed),
      // A refusal may carry a token, with a status of success.
      tokens: requests.filter(
        ({ answer: { outcome, status }, isWellFormed }) =>
          outcome === 'accepted' && (isWellFormed || !this.#refusals.has(status)),
      ),
      estimates: inOrder(this.estimates),
      facts,
    };
  }

  #fits(kind: keyof typeof MOST_BYTES, { body }: Answer): boolean {
    const bytes = ANSWER_BYTES + body.length + VALUE_BYTES * countValues(body);
    if (bytes > this.#left[kind]) return false;
    this.#left[kind] -= bytes;
    return true;
  }
}

const UNREAD = { body: '', json: undefined, truncated: true } as const;

/** Exchanges are numbered as they are sent. */
function inOrder<T extends { readonly answer: Answer }>(list: readonly T[]): T[] {
  const numberOf = ({ answer }: T): number => Number(answer.exchange.slice(1));
  return list.toSorted((a, b) => numberOf(a) - numberOf(b));
}

/** Number of values of a JSON text, or more: texts within may contain the same characters. */
function countValues(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === ',' || character === '[' || character === '{') count++;
  }
  return count;
}
