import type {
  ErrorBody,
  EstimateLock,
  EstimateRecord,
  TokenResponse,
} from '../../src/interface/index.ts';
import { sign } from '../../src/interface/index.ts';
import type { RunningServer } from '../../src/server/index.ts';

/** Noon, so that a few hours in either direction are the same day in UTC. */
export const NOON: number = Date.UTC(2026, 2, 2, 12);
/** A clock that only moves when told to. */
export const frozen = { now: (): number => NOON };

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  body: AnswerBody;
}

/** Any field of an answer of the service or the control API; a test knows which. */
export interface AnswerBody extends TokenResponse, EstimateLock, ErrorBody {
  [index: number]: EstimateRecord;
  readonly length: number;
  partnerId: string;
  signingKey: string;
  authCode: string;
  now: string;
}

export const QUERY: Readonly<Record<string, string>> = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: 'Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer Palace',
  product_type: 'private-car',
  ride_type: 'compact',
};

export type Fields = Record<string, unknown>;

/** Changes to a well-formed token request. */
export interface TokenTwist {
  /** Fields to send, if other than those signed. */
  sent?: Fields;
  key?: string;
  signature?: string;
  /** Replaces the whole header; null sends none. */
  authorization?: string | null;
  contentType?: string;
  rawBody?: string | Uint8Array;
  path?: string;
}

/** Changes to a well-formed estimate request. */
export interface EstimateTwist {
  query?: Record<string, string>;
  /** Replaces the encoded query. */
  rawQuery?: string;
  authorization?: string | null;
  contentType?: string | null;
  signature?: string;
  path?: string;
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, headers: response.headers, text, body: body as AnswerBody };
}

/** A partner and its requests to a server, any part of which can be made wrong. */
export class Caller {
  readonly server: RunningServer;
  readonly id: string;
  readonly key: string;
  static #nostrs = 0;

  constructor(server: RunningServer, id = 'demo', key = `signing-key-of-${id}`) {
    this.server = server;
    this.id = id;
    this.key = key;
  }

  /** Creates a partner with full allowances through the control API. */
  static async fresh(server: RunningServer, longLock = false): Promise<Caller> {
    const { body } = await control(server, 'POST', '/partners', { longLock });
    return new Caller(server, body.partnerId, body.signingKey);
  }

  async code(userId = 'u1'): Promise<string> {
    const { id: partnerId } = this;
    const { body } = await control(this.server, 'POST', '/auth-codes', { partnerId, userId });
    return body.authCode;
  }

  fields(fields: Fields = {}): Fields {
    return {
      grant_type: 'client_credentials',
      _: new Date(this.server.clock.now()).toISOString(),
      nostr: `n${String(Caller.#nostrs++).padStart(5, '0')}`.slice(0, 6),
      ...fields,
    };
  }

  async send(fields: Fields, twist: TokenTwist = {}): Promise<Reply> {
    const signature = twist.signature ?? sign(fields, twist.key ?? this.key);
    const authorization =
      twist.authorization === undefined ? `Bearer ${this.id}|${signature}` : twist.authorization;
    const body = twist.rawBody ?? JSON.stringify(twist.sent ?? fields);
    return toReply(
      await fetch(this.server.baseUrl + (twist.path ?? '/v1/oauth/token'), {
        method: 'POST',
        headers: {
          'Content-Type': twist.contentType ?? 'application/json',
          ...(authorization !== null && { Authorization: authorization }),
        },
        body: body as string,
      }),
    );
  }

  platform(fields: Fields = {}, twist?: TokenTwist): Promise<Reply> {
    return this.send(this.fields(fields), twist);
  }

  refresh(refreshToken: unknown, fields: Fields = {}, twist?: TokenTwist): Promise<Reply> {
    const grant = { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
    return this.send(this.fields({ ...grant, ...fields }), twist);
  }

  async user(fields: Fields = {}, userId = 'u1'): Promise<Reply> {
    const grant = { grant_type: 'authorization_code', auth_code: await this.code(userId) };
    return this.send(this.fields({ ...grant, ...fields }));
  }

  /** An estimate with the platform's header. */
  async estimate(accessToken: unknown, twist: EstimateTwist = {}): Promise<Reply> {
    const query = twist.rawQuery ?? new URLSearchParams({ ...QUERY, ...twist.query }).toString();
    const authorization =
      twist.authorization === undefined
        ? `Bearer ${this.id}|${String(accessToken)}`
        : twist.authorization;
    const url = `${this.server.baseUrl}${twist.path ?? '/v1/estimates/prices'}?${query}`;
    const contentType =
      twist.contentType === undefined ? 'application/x-www-form-urlencoded' : twist.contentType;
    return toReply(
      await fetch(url, {
        headers: {
          ...(contentType !== null && { 'Content-Type': contentType }),
          ...(authorization !== null && { Authorization: authorization }),
        },
      }),
    );
  }

  /** An estimate with the user's header. */
  userEstimate(accessToken: unknown, twist: EstimateTwist = {}): Promise<Reply> {
    const signature = twist.signature ?? sign({ ...QUERY, ...twist.query }, this.key);
    const authorization = `Bearer ${this.id}|${signature} openid|${String(accessToken)}`;
    return this.estimate(accessToken, { ...twist, authorization });
  }
}

export async function control(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const init = {
    method,
    headers: {
      authorization: `Bearer ${server.controlToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  return toReply(await fetch(`${server.controlUrl}${path}`, init));
}

export const HOUR_S = 3600;
export const DAY_S: number = 24 * HOUR_S;
