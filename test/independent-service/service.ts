import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type RunClock, World } from '../../src/conformance/index.ts';
import { Admission } from './admission.ts';
import { Chance } from './chance.ts';
import { answerEstimate } from './estimates.ts';
import { type Attempt, combine, type Form, type ServiceState } from './form.ts';
import { formOf } from './forms/all.ts';
import type { OddStyle } from './odd/odd-style.ts';
import { runClock } from './run-clock.ts';
import {
  type AccessToken,
  type Lock,
  type Partner,
  type RefreshToken,
  Refused,
  textOf,
} from './state.ts';
import { answerToken, attemptOf } from './token-endpoint.ts';
import { delay, serverOptions, writeAnswer } from './transport.ts';
import { join } from './world.ts';

/**
 * A service written from interface.md only, in one style, with any rules broken. It shares no code
 * with the product, so that both cannot be wrong in the same way.
 */
export class OutsideService implements ServiceState {
  readonly style: OddStyle;
  readonly environment: 'production' | 'test';
  readonly form: Form;
  readonly chance: Chance;
  readonly partners: Map<string, Partner> = new Map();
  readonly tokens: Map<string, AccessToken> = new Map();
  readonly refreshes: Map<string, RefreshToken> = new Map();
  readonly locks: Map<string, Lock> = new Map();
  readonly codeEnds: Map<string, number> = new Map();
  /** Banned partners, in the order of their bans. */
  readonly bans: string[] = [];
  /** Bodies of token requests as received. */
  readonly bodies: string[] = [];
  /** Called with each request before it is answered. */
  onRequest: () => void = () => undefined;
  /** True if each answer contains everything that the service knows of all partners. */
  gossips = false;
  /** Refresh_tokens that were sent again after their use. */
  readonly replayed: string[] = [];
  /** Token requests that counted, by partner. */
  readonly counted: Map<string, number> = new Map();
  /** Lets ms pass. */
  sleep: (ms: number) => Promise<void> = (ms) => setTimeout(ms);
  baseUrl = '';
  controlUrl = '';
  /** Clock that it reads, and that a run which judges it sleeps by. */
  readonly clock: RunClock;
  #offset: number;
  #serial = 0;
  #requests = 0;
  /** Times of requests, by what the limit counts apart. */
  readonly #requestsMs: Map<string, readonly number[]> = new Map();
  readonly #admission: Admission;
  readonly #lockouts = new Map<string, { refused: number; untilMs: number }>();
  readonly #answers = new Map<string, { status: number; json: unknown }>();
  readonly #isOneInFive = new WeakMap<Attempt, boolean>();
  readonly #servers: Server[] = [];

  /** @param broken ids of rules, or of forms `RULE_ID#form` */
  constructor(
    style: OddStyle,
    broken: readonly string[],
    environment: 'production' | 'test' = 'production',
    clock: RunClock = runClock(),
    chance: Chance = new Chance(),
  ) {
    this.style = style;
    this.environment = environment;
    this.form = combine([...broken.map(formOf), style.oddities ?? {}]);
    this.clock = clock;
    this.chance = chance;
    this.#offset = -(style.clockBehindMs ?? 0);
    this.#admission = new Admission(style.atOnce);
  }

  now(): number {
    return (
      this.clock.now() +
      this.#offset +
      Math.round(this.chance.draw() * (this.style.clockJitterMs ?? 0))
    );
  }

  /** Lets time pass for the service and for readers of its clock. */
  advance(ms: number): void {
    this.#offset += ms;
  }

  addPartner(id: string, codes: readonly string[] = [], longLock = false): Partner {
    const partner: Partner = {
      id,
      key: `key-of-${id}`,
      longLock,
      codes: new Map(codes.map((code) => [code, 'the-user'])),
      asked: [],
      bannedUntil: {},
      nostrs: new Set(),
    };
    this.partners.set(id, partner);
    return partner;
  }

  async start(): Promise<this> {
    if (this.clock instanceof World) {
      join(this.clock, this);
      return this;
    }
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.serve(request, response).catch((error: NodeJS.ErrnoException) => {
        // A client that was killed leaves half a request.
        if (error.code !== 'ECONNRESET') throw error;
      });
    };
    this.baseUrl = `${await this.#listen(serve, true)}/some/prefix`;
    this.controlUrl = await this.#listen(
      (request, response) => void this.control(request, response),
    );
    return this;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  serial(prefix: string): string {
    return `${prefix}${(++this.#serial).toString(36)}-${this.chance.drawBelow(1e12).toString(36)}`;
  }

  async #listen(
    handle: (request: IncomingMessage, response: ServerResponse) => void,
    handlesClients = false,
  ): Promise<string> {
    const server = createServer({ ...serverOptions(handlesClients ? this.style : {}) }, handle);
    server.maxRequestsPerSocket = (handlesClients ? this.style.requestsPerConnection : null) ?? 0;
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  oneInFive(r: Attempt | undefined): boolean {
    const isMeant = (r && this.#isOneInFive.get(r)) ?? this.chance.isFifth();
    if (r) this.#isOneInFive.set(r, isMeant);
    return isMeant;
  }

  /** Answers a request of a client. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (request.method === 'POST') this.bodies.push(body);
    this.onRequest();
    const url = new URL(request.url ?? '/', 'http://service');
    const path = url.pathname.replace('/some/prefix', '');
    const isToken = request.method === 'POST' && path === '/v1/oauth/token';
    const r = attemptOf(this, isToken ? 'token' : 'estimate', request, body);
    const name = nameIn(r.header);
    const leave = await this.#admission.enter(name);
    if (!leave) return this.#refuse(response, 'busy');
    try {
      await delay(this.style, this, request.socket);
      if (this.style.dropsUnauthorized && r.header === undefined) {
        request.socket.destroy();
        return;
      }
      if (this.#isOverLimit(r.endpoint, name, response)) return;
      await this.#answer(request, response, r, path, url);
    } finally {
      leave();
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    r: Attempt,
    path: string,
    url: URL,
  ): Promise<void> {
    try {
      this.#requireUnlocked(r);
      if (r.endpoint === 'token') {
        const { status, json } = await this.#onceFor(r, () => answerToken(r));
        this.#lockouts.delete(nameIn(r.header));
        return await this.#send(response, r, status, json);
      }
      const isEstimate = path === '/v1/estimates/prices' || this.form.serves?.(path, r);
      if (request.method === 'GET' && isEstimate) {
        const json = answerEstimate(r, url);
        this.#lockouts.delete(nameIn(r.header));
        return await this.#send(response, r, 200, json);
      }
      throw new Refused('path');
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#noteRefusal(r, error.why);
      if (this.style.refusalDelayMs) await this.sleep(this.style.refusalDelayMs);
      await this.#refuse(response, error.why);
    }
  }

  /** The answer to a request; the first one, where the style repeats it. */
  async #onceFor(
    { header = '', raw }: Attempt,
    answer: () => Promise<{ status: number; json: unknown }>,
  ): Promise<{ status: number; json: unknown }> {
    const key = `${header}\n${raw}`;
    const earlier = this.style.repeatsAnswers ? this.#answers.get(key) : undefined;
    const one = earlier ?? (await answer());
    if (this.style.repeatsAnswers) this.#answers.set(key, one);
    return one;
  }

  /** @throws Refused while a partner is locked out */
  #requireUnlocked(r: Attempt): void {
    if ((this.#lockouts.get(nameIn(r.header))?.untilMs ?? 0) > this.now())
      throw new Refused('locked');
  }

  /** Counts the refusals in a row of a partner. */
  #noteRefusal(r: Attempt, why: string): void {
    const { lockout } = this.style;
    if (!lockout?.why.test(why) || (lockout.endpoint ?? r.endpoint) !== r.endpoint) return;
    const name = nameIn(r.header);
    const refused = (this.#lockouts.get(name)?.refused ?? 0) + 1;
    const isOver = refused >= lockout.after;
    this.#lockouts.set(name, {
      refused: isOver ? 0 : refused,
      untilMs: isOver ? this.now() + lockout.forMs : 0,
    });
  }

  /** Refuses a request beyond the limit of the style. */
  #isOverLimit(endpoint: Attempt['endpoint'], name: string, response: ServerResponse): boolean {
    const { limit } = this.style;
    if (!limit || (limit.endpoint ?? endpoint) !== endpoint) return false;
    const nowMs = limit.byOwnClock ? this.now() : this.clock.monotonicNs() / 1e6;
    const counted = limit.per === 'partner' ? name : '';
    const earlierMs = this.#requestsMs.get(counted) ?? [];
    const { periodMs = 1000 } = limit;
    const recentMs = earlierMs.filter((atMs) => nowMs - atMs < periodMs);
    this.#requests++;
    if (limit.isOver(this.#requests, recentMs, nowMs, this.chance)) {
      const headers = limit.retryAfter === undefined ? {} : { 'retry-after': limit.retryAfter };
      if (limit.status === 0) response.socket?.destroy();
      else response.writeHead(limit.status, headers).end('slow down');
      return true;
    }
    this.#requestsMs.set(counted, [...recentMs, nowMs]);
    return false;
  }

  async #send(response: ServerResponse, r: Attempt, status: number, json: unknown): Promise<void> {
    const { style } = this;
    const isToken = r.endpoint === 'token';
    const told = this.gossips && isToken ? { ...(json as object), note: this.#gossip() } : json;
    const odd = isToken ? this.form.contentType?.(r) : undefined;
    const encode = odd?.encode ?? ((text: string) => Buffer.from(text, 'utf8'));
    const text = encode((style.write ?? JSON.stringify)(told));
    await this.#write(response, status, odd ? odd.type : style.contentType, text);
  }

  /** Keys, codes and the newest tokens. */
  #gossip(): string[] {
    const partners = [...this.partners.values()];
    return [
      ...partners.flatMap(({ key, codes }) => [key, ...codes.keys()]),
      ...[...this.tokens.keys()].slice(-9),
      ...[...this.refreshes.keys()].slice(-9),
    ];
  }

  async #refuse(response: ServerResponse, why: string): Promise<void> {
    const bodies = {
      none: '',
      text: why,
      json: JSON.stringify({ errno: 1001, why, ...(this.gossips ? { note: this.#gossip() } : {}) }),
      html: `<h1>${why}</h1>`,
    };
    const status = this.style.refusal(why, this.chance);
    const body = this.style.refusalBody ?? bodies[this.style.errorBody];
    await this.#write(response, status, this.style.refusalType ?? null, Buffer.from(body));
  }

  async #write(
    response: ServerResponse,
    status: number,
    type: string | null,
    body: Buffer,
  ): Promise<void> {
    const headers: Record<string, string> = this.gossips
      ? { 'x-gossip': encodeURIComponent(this.#gossip().join(' ')) }
      : {};
    if (type !== null) headers['content-type'] = type;
    await writeAnswer(response, this.style, {
      status,
      headers,
      body,
      nowMs: this.now(),
      sleep: this.sleep,
    });
  }

  /** Answers a request to the control API. */
  async control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parse(await readBody(request)) ?? {};
    const reply = (status: number, json: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    if (request.url === '/clock') {
      // This service cannot reset its clock.
      if (typeof body['advanceSeconds'] !== 'number') return reply(400, {});
      this.#offset += body['advanceSeconds'] * 1000;
      return reply(200, { now: new Date(this.now()).toISOString() });
    }
    if (request.url === '/partners') {
      const partner = this.addPartner(this.serial('p-'), [], body['longLock'] === true);
      return reply(201, { partnerId: partner.id, signingKey: partner.key });
    }
    if (request.url === '/auth-codes') {
      const code = this.serial('code-');
      this.partners.get(textOf(body['partnerId']))?.codes.set(code, textOf(body['userId']));
      const { codeLifeMs } = this.style;
      if (codeLifeMs !== undefined) this.codeEnds.set(code, this.now() + codeLifeMs);
      return reply(201, { authCode: code });
    }
    const id = decodeURIComponent((request.url ?? '').replace('/estimates/', ''));
    const lock = this.locks.get(id);
    if (!lock) return reply(404, {});
    const view = {
      estimateId: id,
      partnerId: lock.partner.id,
      estimatePrice: lock.price,
      lockedUntil: new Date(lock.until).toISOString(),
      locked: this.now() < lock.until,
    };
    this.form.lockView?.(view, lock, this);
    reply(200, view);
  }
}

/** Id in a header, for what is counted by partner. */
const nameIn = (header = ''): string => /^\S+ ([^|]*)/.exec(header)?.[1] ?? '';

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
