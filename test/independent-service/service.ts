import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerEstimate } from './estimates.ts';
import { middayNow } from './midday.ts';
import { signatureOf } from './reading-signature.ts';
import { type AccessToken, type Kind, type Partner, Refused, type ServiceState } from './state.ts';
import type { Style } from './style.ts';

interface RefreshToken {
  partner: Partner;
  user: string | null;
  scope: string;
  family: string;
  used: boolean;
  issued: number;
}

export interface Body {
  status?: number;
  json: unknown;
}

const LIMIT: Record<Kind, number> = { platform: 10, user: 5, refresh: 10 };
const GRANT: Record<string, Kind> = {
  client_credentials: 'platform',
  authorization_code: 'user',
  refresh_token: 'refresh',
};
const DAY = 86_400_000;

/**
 * A service written from interface.md only, in one style, with any rules broken. It shares no code
 * with the product, so that both cannot be wrong in the same way.
 */
export class OutsideService implements ServiceState {
  readonly style: Style;
  readonly environment: 'production' | 'test';
  readonly broken: (rule: string) => boolean;
  readonly partners: Map<string, Partner> = new Map();
  readonly tokens: Map<string, AccessToken> = new Map();
  readonly refreshes: Map<string, RefreshToken> = new Map();
  readonly locks: Map<string, { partner: Partner; until: number; price: number }> = new Map();
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
  baseUrl = '';
  controlUrl = '';
  #offset: number;
  #serial = 0;
  readonly #servers: Server[] = [];

  constructor(
    style: Style,
    broken: readonly string[],
    environment: 'production' | 'test' = 'production',
    startAt: number = middayNow(),
  ) {
    this.style = style;
    this.environment = environment;
    this.broken = (rule) => broken.includes(rule);
    this.#offset = startAt - Date.now();
  }

  now(): number {
    return Date.now() + this.#offset;
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
    this.baseUrl = `${await this.#listen((request, response) => void this.#serve(request, response))}/some/prefix`;
    this.controlUrl = await this.#listen(
      (request, response) => void this.#control(request, response),
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
    return `${prefix}${(++this.#serial).toString(36)}-${Math.trunc(Math.random() * 1e12).toString(36)}`;
  }

  async #listen(
    handle: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<string> {
    // Keeps connections open for long: none is closed just as it is reused, however slow the
    // machine is.
    const server = createServer({ keepAlive: true, keepAliveTimeout: 600_000 }, handle);
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (this.style.continuesUnasked) response.writeContinue();
    if (request.method === 'POST') this.bodies.push(body);
    this.onRequest();
    const url = new URL(request.url ?? '/', 'http://service');
    const path = url.pathname.replace('/some/prefix', '');
    try {
      if (request.method === 'POST' && path === '/v1/oauth/token') {
        const answer = this.broken('lifecycle/refresh-single-use-concurrent')
          ? await this.#slowToken(request, body)
          : this.#token(request, body);
        return this.#send(response, answer.status ?? 200, answer.json, 'token');
      }
      const estimates = [
        '/v1/estimates/prices',
        ...(this.broken('estimate/version-prefix') ? ['/estimates/prices'] : []),
      ];
      if (request.method === 'GET' && estimates.includes(path)) {
        return this.#send(response, 200, answerEstimate(this, request, url), 'estimate');
      }
      throw new Refused('path');
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#refuse(response, error.why);
    }
  }

  #send(response: ServerResponse, status: number, json: unknown, kind: string): void {
    const { style } = this;
    const told =
      this.gossips && kind === 'token' ? { ...(json as object), note: this.#gossip() } : json;
    let text = Buffer.from(JSON.stringify(told), 'utf8');
    const charsetBroken = kind === 'token' && this.broken('token/response-content-type');
    if (charsetBroken)
      text = Buffer.from(JSON.stringify({ ...(json as object), note: 'Zürich' }), 'latin1');
    const type = charsetBroken ? 'application/json; charset=iso-8859-1' : style.contentType;
    this.#head(response, status, type, text.length);
    if (style.chunked) {
      response.write(text.subarray(0, 7));
      response.end(text.subarray(7));
    } else response.end(text);
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

  #refuse(response: ServerResponse, why: string): void {
    const bodies = {
      none: '',
      text: why,
      json: JSON.stringify({ errno: 1001, why, ...(this.gossips ? { note: this.#gossip() } : {}) }),
      html: `<h1>${why}</h1>`,
    };
    const status = this.style.refusal(why);
    const body = status === 204 ? '' : bodies[this.style.errorBody];
    this.#head(response, status, null, status === 204 ? 0 : body.length);
    response.end(body);
  }

  #head(response: ServerResponse, status: number, type: string | null, length: number): void {
    const { style } = this;
    if (this.gossips) response.setHeader('x-gossip', encodeURIComponent(this.#gossip().join(' ')));
    const name = (text: string): string => (style.upperCaseHeaders ? text.toUpperCase() : text);
    if (type !== null) response.setHeader(name('content-type'), type);
    if (style.closes) response.setHeader(name('connection'), 'close');
    if (!style.chunked) response.setHeader(name('content-length'), length);
    response.writeHead(status);
  }

  async #slowToken(request: IncomingMessage, body: string): Promise<Body> {
    const fields = parse(body);
    const refresh = this.refreshes.get(textOf(fields?.['refresh_token']));
    const wasUsed = refresh?.used;
    // In steps, one of which a stall takes: the others leave time for the requests to arrive.
    for (let step = 0; step < 15; step++) await sleep(1);
    if (refresh && wasUsed === false) refresh.used = false;
    return this.#token(request, body);
  }

  #token(request: IncomingMessage, body: string): Body {
    const { broken, style } = this;
    const json = parse(body);
    const form =
      !json && broken('token/json-body') ? Object.fromEntries(new URLSearchParams(body)) : null;
    const fields = json ?? form;
    const header = request.headers.authorization;
    const claimed = this.#claim(header, fields);
    const partner = claimed?.partner ?? null;
    const grantType = broken('token/grant-type-required')
      ? (fields?.['grant_type'] ?? 'client_credentials')
      : fields?.['grant_type'];
    const known =
      textOf(grantType) in GRANT || (grantType !== undefined && broken('token/grant-type-known'));
    const kind = known ? (GRANT[textOf(grantType)] ?? 'platform') : null;
    const user = partner?.codes.get(textOf(fields?.['auth_code'])) ?? 'the-user';
    try {
      if (partner && kind) this.#refuseBanned(partner, kind);
      if (!fields) throw new Refused('body');
      if (header === undefined && !broken('token/authorization-required'))
        throw new Refused('authorization');
      if (!partner) throw new Refused('partner');
      this.#checkSignature(partner, claimed?.signature ?? null, fields, claimed?.unsigned ?? false);
      if (!kind) throw new Refused('grant');
      this.#checkFields(partner, fields);
      if (kind === 'platform' && broken('token/grant-client-credentials'))
        throw new Refused('grant');
      if (kind === 'user' && broken('token/grant-authorization-code')) throw new Refused('grant');
      if (kind === 'refresh' && broken('token/grant-refresh-token')) throw new Refused('grant');
      return this.#issue(partner, kind, fields, user);
    } catch (error) {
      if (
        error instanceof Refused &&
        style.failedCount &&
        partner &&
        kind &&
        error.why !== 'banned' &&
        error.why !== 'quota'
      ) {
        this.#count(partner, kind, user);
      }
      throw error;
    }
  }

  /** Sender that the request names. */
  #claim(
    header: string | undefined,
    fields: Record<string, unknown> | null,
  ): { partner: Partner | null; signature: string; unsigned: boolean } | null {
    const { broken } = this;
    const first = (): Partner | null => [...this.partners.values()].at(-1) ?? null;
    if (header === undefined) {
      return broken('token/authorization-required')
        ? { partner: this.#signerOf(fields), signature: '', unsigned: true }
        : null;
    }
    const right = /^Bearer ([^|\s]+)\|(\S+)$/.exec(header);
    const odd = broken('token/authorization-shape')
      ? /^(?:\w+ )?([^|\s:]+)[|: ]([0-9a-f]{32})$/.exec(header)
      : null;
    const match = right ?? odd;
    if (!match) return null;
    const partner = this.partners.get(match[1]!) ?? null;
    if (!partner && broken('token/partner-unknown'))
      return { partner: first(), signature: '', unsigned: true };
    return { partner, signature: match[2]!, unsigned: false };
  }

  #signerOf(_fields: Record<string, unknown> | null): Partner | null {
    return [...this.partners.values()].at(-1) ?? null;
  }

  #checkSignature(
    partner: Partner,
    signature: string | null,
    fields: Record<string, unknown>,
    unsigned: boolean,
  ): void {
    const { broken, style } = this;
    if (unsigned) return;
    const names = style.tokenFields;
    const pairs = Object.fromEntries(
      Object.entries(fields).filter(([name]) => names === 'all' || names.includes(name)),
    );
    const isRight = (key: string, some = pairs): boolean =>
      signatureOf(some, key, broken) === signature?.toLowerCase();
    let right = isRight(partner.key);
    if (broken('signature/valid-accepted')) right = false;
    if (broken('signature/invalid-refused')) right ||= (signature ?? '').length === 32;
    if (broken('signature/wrong-key-refused'))
      right ||= isRight('') || [...this.partners.values()].some(({ key }) => isRight(key));
    if (broken('signature/covers-fields')) {
      // The nostr is not compared, whatever it was when signed.
      right ||= /^[0-9a-f]{32}$/.test(signature ?? '') && this.#signedWithOtherNostr(pairs);
    }
    if (broken('token/nostr-case')) {
      const swap = (text: string): string =>
        text.replace(/[a-z]/gi, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()));
      right ||= isRight(partner.key, { ...pairs, nostr: swap(textOf(pairs['nostr'])) });
    }
    if (!right) throw new Refused('signature');
  }

  /** Set by tests of signature/covers-fields: only requests whose scope is what they name. */
  #signedWithOtherNostr(pairs: Record<string, unknown>): boolean {
    return 'scope' in pairs;
  }

  #checkFields(partner: Partner, fields: Record<string, unknown>): void {
    const { broken, style } = this;
    const known = ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'];
    if (style.refusesUnknownFields && Object.keys(fields).some((name) => !known.includes(name)))
      throw new Refused('field');
    this.#checkTime(fields['_']);
    const nostr = fields['nostr'];
    if (nostr === undefined) {
      if (!broken('token/nostr-required')) throw new Refused('nostr');
      return;
    }
    const text = textOf(nostr);
    const length = Array.from(text).length;
    if (length !== 6 && !broken('token/nostr-length')) throw new Refused('nostr');
    if (!/^[0-9A-Za-z]*$/.test(text) && !broken('token/nostr-alphabet')) throw new Refused('nostr');
    if (style.nostrOnce && partner.nostrs.has(text)) throw new Refused('nostr');
    partner.nostrs.add(text);
  }

  #checkTime(time: unknown): void {
    const { broken } = this;
    if (time === undefined) {
      if (!broken('token/timestamp-required')) throw new Refused('time');
      return;
    }
    if (this.environment === 'test' && !broken('token/timestamp-unchecked-in-test')) return;
    const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.test(textOf(time));
    if (!iso) {
      if (broken('token/timestamp-iso8601')) return;
      throw new Refused('time');
    }
    const age = this.now() - Date.parse(textOf(time));
    const most = broken('token/timestamp-fresh')
      ? 60_000
      : broken('token/timestamp-expired')
        ? DAY / 24
        : 600_000;
    if (age > most || age < -30_000) throw new Refused('time');
  }

  #refuseBanned(partner: Partner, kind: Kind): void {
    const { broken, style } = this;
    const reach: Kind[] = style.banReach === 'kind' ? [kind] : ['platform', 'user', 'refresh'];
    const banned = (one: Partner): number =>
      Math.max(0, ...reach.map((some) => one.bannedUntil[some] ?? 0));
    const until = broken('quota/per-partner')
      ? Math.max(0, ...[...this.partners.values()].map(banned))
      : banned(partner);
    if (until <= this.now()) return;
    if (style.extendsBan) {
      for (const some of reach)
        if (partner.bannedUntil[some]) partner.bannedUntil[some] = this.now() + this.#banMs();
    }
    throw new Refused('banned');
  }

  #banMs(): number {
    if (this.broken('quota/ban-lasts-24h')) return 3_600_000;
    return this.broken('quota/ban-lifts') ? 2 * DAY : DAY;
  }

  #count(partner: Partner, kind: Kind, user: string): void {
    const { broken, style } = this;
    const now = this.now();
    const day = (at: number): number =>
      style.day === 'rolling' ? 0 : Math.floor((at + style.day * 3_600_000) / DAY);
    const sameDay = (at: number): boolean =>
      broken('quota/daily-reset') ||
      (style.day === 'rolling' ? at > now - DAY : day(at) === day(now));
    const shared = broken('quota/counters-independent');
    const mine = partner.asked.filter(
      (one) =>
        sameDay(one.at) &&
        (shared ? kind !== 'platform' || one.kind === kind : one.kind === kind) &&
        (kind !== 'user' || shared || style.userAllowancePer === 'partner' || one.user === user),
    );
    let limit = LIMIT[kind];
    if (broken('quota/platform-allows-10') && kind === 'platform') limit = 8;
    if (broken('quota/user-allows-5') && kind === 'user') limit = 4;
    if (broken('quota/refresh-allows-10') && kind === 'refresh') limit = 9;
    if (broken('quota/platform-refuses-11th') && kind === 'platform') limit = 100;
    if (broken('quota/user-refuses-6th') && kind === 'user') limit = 100;
    if (broken('quota/refresh-refuses-11th') && kind === 'refresh') limit = 100;
    if (mine.length >= limit) {
      partner.bannedUntil[kind] = now + this.#banMs();
      this.bans.push(partner.id);
      throw new Refused('quota');
    }
    partner.asked.push({ kind, at: now, user });
    this.counted.set(partner.id, (this.counted.get(partner.id) ?? 0) + 1);
  }

  #issue(partner: Partner, kind: Kind, fields: Record<string, unknown>, user: string): Body {
    const { broken } = this;
    let scope =
      typeof fields['scope'] === 'string' && fields['scope'].trim() !== ''
        ? fields['scope']
        : 'public';
    if (broken('token/scope-default') && !fields['scope']) scope = 'public profile';
    const scopes = scope.split(' ');
    if (broken('several scopes are refused') && scopes.length > 1) throw new Refused('scope');
    if (broken('scopes are lost out of order'))
      scope = scopes.filter((one, at) => at === 0 || one > scopes[at - 1]!).join(' ');
    let tokenUser: string | null = null;
    let family = this.serial('f');
    if (kind === 'user') {
      const code = fields['auth_code'];
      if (code === undefined && !broken('token/auth-code-required')) throw new Refused('code');
      if (
        code !== undefined &&
        !partner.codes.has(textOf(code)) &&
        !broken('token/auth-code-unknown')
      )
        throw new Refused('code');
      this.#count(partner, kind, user);
      partner.codes.delete(textOf(code));
      tokenUser = user;
      if (!broken('lifecycle/user-token-newest-only')) {
        for (const token of this.tokens.values())
          if (token.partner === partner && token.user === user) token.ended = true;
      }
    } else if (kind === 'refresh') {
      const refresh = this.#takeRefresh(partner, fields);
      this.#count(partner, kind, user);
      if (refresh) {
        refresh.used = true;
        ({ scope, family, user: tokenUser } = refresh);
      }
    } else {
      this.#count(partner, kind, user);
      if (broken('lifecycle/platform-tokens-coexist')) {
        for (const token of this.tokens.values()) if (token.partner === partner) token.ended = true;
      }
    }
    const rotates = !(kind === 'refresh' && broken('lifecycle/refresh-rotates'));
    const accessToken = this.serial('at');
    const refreshToken = rotates ? this.serial('rt') : textOf(fields['refresh_token']);
    const expires = this.now() + this.style.expiresIn * 1000;
    this.tokens.set(accessToken, { partner, user: tokenUser, scope, expires, ended: false });
    this.refreshes.set(refreshToken, {
      partner,
      user: tokenUser,
      scope,
      family,
      used: false,
      issued: this.now(),
    });
    const answer: Record<string, unknown> = {
      access_token: broken('token/response-access-token') ? 12345 : accessToken,
      refresh_token: broken('token/response-refresh-token') ? '' : refreshToken,
      expires_in_second: broken('token/response-expires')
        ? textOf(this.style.expiresIn)
        : this.style.expiresIn,
      token_type: broken('token/response-token-type') ? 'mac' : this.style.tokenType,
      scope: broken('token/scope-echo') && scope.includes(' ') ? scope.split(' ')[0] : scope,
      ...(this.style.extraFields ? { openid: null, ext: { a: [1] } } : {}),
    };
    return { status: broken('token/response-status') ? 201 : 200, json: answer };
  }

  #takeRefresh(partner: Partner, fields: Record<string, unknown>): RefreshToken | null {
    const { broken, style } = this;
    const sent = fields['refresh_token'];
    if (sent === undefined) {
      if (broken('token/refresh-token-required')) return null;
      throw new Refused('refresh');
    }
    const refresh = this.refreshes.get(textOf(sent));
    if (!refresh) {
      if (broken('token/refresh-token-unknown')) return null;
      throw new Refused('refresh');
    }
    if (refresh.partner !== partner) throw new Refused('refresh');
    if (refresh.used) this.replayed.push(textOf(sent));
    if (refresh.used && !broken('lifecycle/refresh-single-use')) {
      if (style.replayEndsFamily)
        for (const one of this.refreshes.values())
          if (one.family === refresh.family) one.used = true;
      throw new Refused('refresh');
    }
    if (broken('lifecycle/refresh-never-expires') && this.now() - refresh.issued > 30 * DAY)
      throw new Refused('refresh');
    const life = this.style.expiresIn * 1000;
    if (
      broken('lifecycle/expired-replaced-by-refresh') &&
      this.now() - refresh.issued > life &&
      this.now() - refresh.issued < life + DAY
    ) {
      throw new Refused('refresh');
    }
    return refresh;
  }

  async #control(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
      return reply(201, { authCode: code });
    }
    const id = decodeURIComponent((request.url ?? '').replace('/estimates/', ''));
    const lock = this.locks.get(id);
    if (!lock) return reply(404, {});
    reply(200, {
      estimateId: id,
      partnerId: lock.partner.id,
      estimatePrice: lock.price,
      lockedUntil: new Date(lock.until).toISOString(),
      locked: this.now() < lock.until,
    });
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

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
