import { ALLOWANCE_KINDS } from '../../../interface/limits.ts';
import { Redactor } from '../../../redaction/index.ts';
import { type Asked, askedIn } from '../../model/asked.ts';
import { SpendCounter } from '../budget/spend-counter.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/messages.ts';
import type { SeenEstimate, SeenToken } from '../contract/observation.ts';
import type { Shape, TargetPartner } from '../contract/target.ts';
import type { TokenStep, Walk } from '../contract/walk.ts';
import { Evidence } from '../wire/evidence.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import type { Session } from '../wire/session.ts';
import type { SessionHooks } from '../wire/session-hooks.ts';
import type { TargetClient } from '../wire/target-client.ts';

const DAY_S = 86_400;

/** An answer that the interface does not let one expect. */
export interface Surprise {
  /** Step that it came at. */
  readonly id: number;
  readonly rule: string;
  /** Action of the service. */
  readonly what: 'refused' | 'accepted' | 'answered';
  readonly reason: string;
  readonly status: number;
  readonly exchange: string;
}

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

/**
 * Tokens of a metered partner, with which every walk begins: exploring asks for no others. A step that asks for one
 * is given it.
 */
export interface Held {
  /** The partner, and another one. */
  readonly partners: readonly TargetPartner[];
  readonly issued: readonly Omit<Issued, 'step'>[];
  /** Their requests, as the models see them. */
  readonly log: readonly Asked[];
  /** Functions that note what the partner spends. */
  readonly hooks: SessionHooks;
  /**
   * Checks whether the partner may send token requests that must be refused: they count against no allowance, and
   * one that is accepted all the same is within it.
   */
  readonly mayBeRefused: () => boolean;
}

/** Circumstances in which a walk is played. */
export interface Setup extends Pick<Walk, 'longLock'> {
  /** Seconds since midnight UTC at which it starts; left out, now. */
  readonly startsAt?: number | undefined;
  /** Rules that are known to be broken: what breaks them again is no surprise. */
  readonly broken?: ReadonlySet<string>;
  /** Left out where partners are fresh, and time can be moved. */
  readonly held?: Held | undefined;
}

/** Seconds since midnight UTC of a time in ms. */
const secondOfDay = (atMs: number): number => Math.floor(atMs / 1000) % DAY_S;

/** Opens a stage of fresh partners; its requests are no evidence of the run. */
export async function stageApart(client: TargetClient, setup: Setup): Promise<Stage> {
  const wall = (): number => client.clock.machineNow();
  const apart = client.apart(new Evidence(new Redactor()), new SpendCounter(wall, wall()));
  return openStage(apart, setup);
}

/** Opens a stage of fresh partners at a time of the day. */
export async function openStage(client: TargetClient, setup: Setup): Promise<Stage> {
  const { clock } = client;
  await clock.refresh();
  if (setup.startsAt !== undefined && !setup.held) {
    const seconds = (setup.startsAt - secondOfDay(clock.now()) + DAY_S) % DAY_S;
    await clock.moveTo(clock.now() + seconds * 1000);
  }
  return new Stage(client, setup);
}

/** Partners, tokens and requests of a walk that is played. */
export class Stage {
  readonly client: TargetClient;
  readonly walk: Pick<Walk, 'startsAt' | 'longLock'>;
  readonly broken: ReadonlySet<string>;
  readonly held: Held | undefined;
  /** Requests so far, in the order of sending, as the models see them. */
  readonly log: Asked[] = [];
  readonly issued: Map<number, Issued> = new Map();
  readonly estimated: Map<number, Estimated> = new Map();
  /** Classes of what is open that the service took. */
  readonly learned: Set<string> = new Set();
  /** Accepted requests, as rules on answers see them. */
  readonly tokens: SeenToken[] = [];
  readonly estimates: SeenEstimate[] = [];
  /** Last signature of each partner. */
  readonly signatures: Map<number, string> = new Map();
  readonly #pool: PartnerPool;
  readonly #sessions: Session[] = [];
  #read: number;
  #number: number;

  constructor(client: TargetClient, { longLock, broken = new Set(), held }: Setup) {
    this.client = client;
    this.broken = broken;
    this.held = held;
    this.walk = { startsAt: secondOfDay(client.clock.now()), longLock };
    this.#pool = new PartnerPool(client, held?.hooks ?? {});
    this.#read = client.evidence.raw.length;
    this.#number = this.#read;
    if (!held) client.rightRequests.fresh = () => this.#pool.freshRequest();
  }

  /** Checks whether a walk can have a partner of this number, from 0. */
  hasPartner(number: number): boolean {
    return this.held === undefined || number < this.held.partners.length;
  }

  /** Session of a partner of the walk, which is made when it is needed first. */
  async session(partner: number): Promise<Session> {
    while (this.#sessions.length <= partner) {
      const at = this.#sessions.length;
      const own = this.held?.partners[at];
      const isLong = at === 1 && this.walk.longLock;
      this.#sessions.push(own ? this.#pool.open(own, []) : await this.#pool.fresh(isLong));
    }
    return this.#sessions[partner]!;
  }

  /** Requests of a partner so far. */
  ownLog(partner: number): readonly Asked[] {
    const id = this.#sessions[partner]?.partner.id;
    return this.log.filter((one) => one.partner === id);
  }

  /** Fresh auth code of a user; empty where none is made. */
  async code(session: Session, user: string): Promise<string> {
    return (this.held ? null : await this.#pool.takeCode(session, user)) ?? '';
  }

  /** Part of the next request. */
  nextPart(): { readonly check: string; readonly number: number } {
    return { check: 'explore', number: ++this.#number };
  }

  /** Adds the requests that were sent meanwhile to the log; returns their exchanges. */
  readSent(more: Pick<Asked, 'user' | 'hasOtherCause'>): readonly string[] {
    const { evidence, target } = this.client;
    const sent = evidence.raw.slice(this.#read);
    this.#read = evidence.raw.length;
    for (const exchange of sent) {
      const { authorization = '' } = exchange.request.headers;
      const partnerId = /^Bearer ([^|]*)\|/.exec(authorization)?.[1] ?? exchange.partnerId;
      const [asked] = askedIn([{ ...exchange, partnerId }], target.baseUrl);
      if (asked) this.log.push({ ...asked, ...more });
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
  return asked ? ALLOWANCE_KINDS.map((kind) => ({ ...asked, kind, hasOtherCause: true })) : [];
}
