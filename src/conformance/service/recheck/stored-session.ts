import { FareproofError } from '../../../interface/errors.ts';
import type { Exchange } from '../../exchange.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/answer.ts';
import type { EstimateAttempt, Fields, TokenAttempt } from '../contract/request.ts';
import { SHAPES, type Shape, type Target } from '../contract/target.ts';
import { Session, type SessionWatch } from '../target/session.ts';
import type { TargetClient } from '../target/target-client.ts';

/** Stored exchanges by key, and a clock that goes by their times. */
export interface Store {
  readonly byKey: ReadonlyMap<string, Exchange>;
  /** Told of the target's time by which an answer was there, in ms. */
  readonly passed: (atMs: number) => void;
}

/**
 * A session whose requests were all sent before: what was sent is read from the store, so that an
 * answer is judged beside its own request and not beside one made up anew.
 */
export class StoredSession extends Session {
  readonly #store: Store;

  constructor(
    client: TargetClient,
    partner: PartnerCredentials,
    watch: SessionWatch,
    store: Store,
    fresh: boolean,
  ) {
    super(client, partner, watch, { fresh });
    this.#store = store;
  }

  /** @throws FareproofError `EXCHANGE_MISSING` */
  override async token(attempt: TokenAttempt, key: string): Promise<TokenAnswer> {
    const stored = this.#find(key, attempt.purpose);
    const sent = attempt.body === undefined ? sentFields(stored) : null;
    const answer = await super.token(sent ? { ...attempt, fields: sent } : attempt, key);
    this.#store.passed(answer.answeredAtMs);
    return answer;
  }

  /** @throws FareproofError `EXCHANGE_MISSING` */
  override async estimate(
    attempt: EstimateAttempt & { readonly accessToken: string },
    key: string,
  ): Promise<EstimateAnswer> {
    const query = sentQuery(this.#find(key, attempt.purpose));
    const shape = attempt.shape && (shapeOf(query, this.client.target) ?? undefined);
    const answer = await super.estimate({ ...attempt, query, shape }, key);
    this.#store.passed(answer.answeredAtMs);
    return answer;
  }

  /** A check that has changed since asks for other things: then nothing fits any more. */
  #find(key: string, purpose: string): Exchange {
    const stored = this.#store.byKey.get(key);
    if (stored?.purpose === purpose) return stored;
    throw new FareproofError(
      'EXCHANGE_MISSING',
      stored
        ? `the document holds another request in place of this one: ${purpose}`
        : `the document does not hold this exchange: ${purpose}`,
    );
  }
}

/** Null where the body is no JSON object. */
export function sentFields({ request }: Exchange): Fields | null {
  try {
    const value: unknown = JSON.parse(request.body ?? '');
    return value !== null && typeof value === 'object' ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Decoded parameters of the query that was sent. */
export function sentQuery({ request }: Exchange): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(request.url.replace(/^[^?]*\??/s, '')));
}

/** Which shape of the profile a query asks for. */
export function shapeOf(query: Readonly<Record<string, string>>, target: Target): Shape | null {
  const asks = (shape: Shape): boolean => {
    const parameters = target.estimates[shape];
    return (
      parameters !== undefined &&
      Object.entries(parameters).every(([name, value]) => query[name] === value)
    );
  };
  return SHAPES.find(asks) ?? null;
}
