import { ALLOWANCE_KINDS } from '../../../interface/limits.ts';
import { type Asked, askedIn } from '../../model/asked.ts';
import { SeededRandom } from '../../seeded-random.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/messages.ts';
import type { SeenToken } from '../contract/observation.ts';
import type { Shape } from '../contract/target.ts';
import type { TokenStep, Walk } from '../contract/walk.ts';
import type { PartnerPool } from '../wire/partner-pool.ts';
import type { Session } from '../wire/session.ts';
import type { TargetClient } from '../wire/target-client.ts';

/** Tokens that a step of a walk got. */
export interface Issued {
  readonly step: TokenStep;
  readonly partner: number;
  readonly isUser: boolean;
  readonly user: string | undefined;
  /** Scope by the answer; null if it names none. */
  readonly scope: string | null;
  readonly answer: TokenAnswer;
  /** True once its refresh_token was in a request. */
  isSent: boolean;
}

/** An estimate of a walk. */
export interface Estimated {
  readonly partner: number;
  readonly answer: EstimateAnswer;
  readonly shape: Shape | null;
}

/** Partners, tokens and requests of a walk that is played. */
export class Stage {
  readonly client: TargetClient;
  readonly walk: Pick<Walk, 'startsAt' | 'longLock'>;
  /** Requests so far, in the order of sending, as the models see them. */
  readonly log: Asked[] = [];
  readonly issued: Map<number, Issued> = new Map();
  readonly estimated: Map<number, Estimated> = new Map();
  /** Classes of what is open that the service took. */
  readonly learned: Set<string> = new Set();
  /** Successful token answers, and ids of estimates with their exchanges. */
  readonly tokens: SeenToken[] = [];
  readonly estimateIds: Map<string, string> = new Map();
  /** Last signature of each partner. */
  readonly signatures: Map<number, string> = new Map();
  /** Rules that are known to be broken: what breaks them again is no surprise. */
  readonly broken: ReadonlySet<string>;
  readonly #pool: PartnerPool;
  readonly #sessions: Session[] = [];
  #read = 0;
  #number = 0;

  constructor(
    client: TargetClient,
    pool: PartnerPool,
    walk: Pick<Walk, 'startsAt' | 'longLock'>,
    broken: ReadonlySet<string>,
  ) {
    this.broken = broken;
    this.client = client;
    this.walk = walk;
    this.#pool = pool;
  }

  /** Session of a partner of the walk, which is made when it is needed first. */
  async session(partner: number): Promise<Session> {
    while (this.#sessions.length <= partner) {
      const isLong = this.#sessions.length === 1 && this.walk.longLock;
      this.#sessions.push(await this.#pool.fresh(isLong));
    }
    return this.#sessions[partner]!;
  }

  /** Id of a partner that sent requests; undefined before. */
  idOf(partner: number): string | undefined {
    return this.#sessions[partner]?.partner.id;
  }

  /** Fresh auth code of a user. */
  async code(session: Session, user: string): Promise<string> {
    return (await this.#pool.takeCode(session, user)) ?? '';
  }

  /** Number of the next request, for its part. */
  nextNumber(): number {
    return ++this.#number;
  }

  /** Adds the requests that were sent meanwhile to the log; returns their exchanges. */
  readSent(user?: string): readonly string[] {
    const { evidence, target } = this.client;
    const sent = evidence.raw.slice(this.#read);
    this.#read = evidence.raw.length;
    for (const exchange of sent) {
      const { authorization = '' } = exchange.request.headers;
      const partnerId = /^Bearer ([^|]*)\|/.exec(authorization)?.[1] ?? exchange.partnerId;
      const [asked] = askedIn([{ ...exchange, partnerId }], target.baseUrl);
      if (asked) this.log.push(user === undefined ? asked : { ...asked, user });
      else if (exchange.request.method === 'POST' && exchange.part !== undefined)
        this.log.push(...countedAtWorst(exchange, target.baseUrl));
    }
    return sent.map(({ id }) => id);
  }
}

/** A token request of no known kind, or in no partner's name, may count against each allowance. */
function countedAtWorst(
  exchange: TargetClient['evidence']['raw'][number],
  baseUrl: string,
): Asked[] {
  if (exchange.partnerId === null) return [];
  const body = JSON.stringify({ grant_type: 'client_credentials' });
  const headers = { authorization: `Bearer ${exchange.partnerId}|` };
  const request = { ...exchange.request, url: `${baseUrl}/v1/oauth/token`, headers, body };
  const [asked] = askedIn([{ ...exchange, request }], baseUrl);
  return asked ? ALLOWANCE_KINDS.map((kind) => ({ ...asked, kind })) : [];
}

/** Random numbers of a twist. */
export const randomOf = (seed: number): SeededRandom => new SeededRandom(seed);
