import type { Part } from '../../../documents/exchange.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import { FareproofError } from '../../../interface/errors.ts';
import {
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  type GrantType,
} from '../../../interface/limits.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import {
  type EstimateAnswer,
  expectsOf,
  type Fields,
  type TokenAnswer,
  type TokenAttempt,
} from '../contract/messages.ts';
import { isOf, keyOf } from '../contract/part-of-run.ts';
import { SHAPES, type Shape, type Target } from '../contract/target.ts';
import type { AuthorizedEstimate } from '../wire/requests.ts';
import { type SentToken, Session } from '../wire/session.ts';
import type { SessionHooks } from '../wire/session-hooks.ts';
import type { TargetClient } from '../wire/target-client.ts';
import type { TokenHistory } from '../wire/token-history.ts';

/** Stored exchanges by key, and a clock that follows their times. */
export interface Store {
  readonly byKey: ReadonlyMap<string, Exchange>;
  /** Moves the clock to the target's time of an answer, in ms. */
  readonly passTo: (atMs: number) => void;
  /** History of a partner; a metered one keeps its session through all batches. */
  readonly historyOf: (partnerId: string) => TokenHistory;
}

/**
 * Session whose requests are stored: they are read from there, so that an answer is judged with its
 * own request and not with one made anew.
 */
export class StoredSession extends Session {
  override readonly tokenHistory: TokenHistory;
  readonly #store: Store;

  constructor(
    client: TargetClient,
    partner: PartnerCredentials,
    hooks: SessionHooks,
    store: Store,
    fresh: boolean,
  ) {
    super(client, partner, hooks, { fresh });
    this.#store = store;
    this.tokenHistory = store.historyOf(partner.id);
  }

  /** Answer to a token request that another batch was judged by. */
  async seenBefore(attempt: TokenAttempt, part: Part): Promise<TokenAnswer> {
    return (await this.sendToken(attempt, part)).answer;
  }

  /** @throws FareproofError `EXCHANGE_MISSING` */
  protected override async sendToken(attempt: TokenAttempt, part: Part): Promise<SentToken> {
    const stored = this.#find(part, attempt);
    const fields = attempt.body === undefined ? sentFields(stored) : null;
    const sent = await super.sendToken(fields ? { ...attempt, fields } : attempt, part, null);
    this.#store.passTo(sent.answer.answeredAtMs);
    return sent;
  }

  /** Batches that ran at once are replayed one after the other: another one may have learnt the form by then. */
  protected override triesForms(part: Part): boolean {
    return this.canSend({ ...part, form: 1 });
  }

  protected override canSend(part: Part): boolean {
    return this.#store.byKey.has(keyOf(part));
  }

  /** @throws FareproofError `EXCHANGE_MISSING` */
  override async estimate(attempt: AuthorizedEstimate, part: Part): Promise<EstimateAnswer> {
    const query = sentQuery(this.#find(part, attempt));
    const shape = attempt.shape && (shapeOf(query, this.client.target) ?? undefined);
    const answer = await super.estimate({ ...attempt, query, shape }, part);
    this.#store.passTo(answer.answeredAtMs);
    return answer;
  }

  /** A check that was changed since, or that saw other answers, sends other requests: no stored one matches. */
  #find(part: Part, attempt: TokenAttempt | AuthorizedEstimate): Exchange {
    const stored = this.#store.byKey.get(keyOf(part));
    const isPlain = 'fields' in attempt && attempt.body === undefined;
    const sent = isPlain && stored ? sentFields(stored) : null;
    const isAlike = !sent || !isPlain || allowanceOf(sent) === allowanceOf(attempt.fields);
    if (stored?.expects === expectsOf(attempt) && isAlike) return stored;
    const { purpose } = attempt;
    // A number that is left out is that of a request for which the run had no allowance.
    const isLeftOut =
      !stored &&
      [...this.#store.byKey.values()].some(
        ({ part: other }) => other && isOf(other, part) && other.number > part.number,
      );
    if (isLeftOut)
      throw new FareproofError('ALLOWANCE_GUARD', `the run did not send this: ${purpose}`);
    throw new FareproofError(
      'EXCHANGE_MISSING',
      stored
        ? `the document has another request in place of this one: ${purpose}`
        : `this exchange is not in the document: ${purpose}`,
    );
  }
}

const allowanceOf = (fields: Fields): AllowanceKind | undefined =>
  ALLOWANCE_OF_GRANT[fields['grant_type'] as GrantType];

/** Fields of the body that was sent; null if it is not a JSON object. */
export function sentFields({
  request,
}: {
  readonly request: Pick<Exchange['request'], 'body'>;
}): Fields | null {
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

/** Shape of the profile that a query asks for; null for none of them. */
export function shapeOf(
  query: Readonly<Record<string, string>>,
  target: Pick<Target, 'estimates'>,
): Shape | null {
  const asks = (shape: Shape): boolean => {
    const parameters = target.estimates[shape];
    return (
      parameters !== undefined &&
      Object.entries(parameters).every(([name, value]) => query[name] === value)
    );
  };
  return SHAPES.find(asks) ?? null;
}
