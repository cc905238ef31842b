import type { TransportFailure } from '../../../interface/connection-failure.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { parseReceivedJson } from '../../parse-json.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { LockState } from '../contract/target.ts';
import type { Send, WireOutcome, WireRequest, WireResponse } from '../http/message.ts';

/** Longest id, key or auth code that is taken: each is sent and searched for in every text of a run. */
const LONGEST_TEXT = 1_024;

/** Times that a clock may stand at, in ms since the epoch: years 1970 to 9000, so that others can be reckoned from them. */
const CLOCK_RANGE = { least: 0, most: Date.UTC(9000) } as const;

/** Client of the control API: the target's clock, fresh partners, auth codes, locks of estimates. */
export class ControlApi {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #send: Send;

  constructor(control: { url: string; token?: string | undefined }, send: Send) {
    this.#url = control.url;
    this.#send = send;
    this.#headers = {
      'content-type': 'application/json',
      ...(control.token === undefined ? {} : { authorization: `Bearer ${control.token}` }),
    };
  }

  /**
   * Moves the clock forward and returns where it stands, in milliseconds since the epoch.
   *
   * @throws FareproofError `CONTROL_FAILED`, or `INTERRUPTED`
   */
  async advanceClock(seconds: number): Promise<number> {
    return this.#postClock({ advanceSeconds: seconds });
  }

  /**
   * Sets the clock back to true time and returns where it stands, in milliseconds since the epoch; null
   * where the target does not do so, as this request is optional.
   */
  async resetClock(): Promise<number | null> {
    try {
      return await this.#postClock({ reset: true });
    } catch {
      return null;
    }
  }

  /**
   * Makes a partner with full allowances; `longLock` for a lock of 60 minutes.
   *
   * @throws FareproofError `CONTROL_FAILED`, or `INTERRUPTED`
   */
  async createPartner(longLock: boolean): Promise<PartnerCredentials> {
    const body = longLock ? { longLock } : {};
    const call = 'POST /partners';
    const answer = await this.#post('/partners', body, 201);
    return {
      id: textOf(answer, 'partnerId', call),
      signingKey: textOf(answer, 'signingKey', call),
    };
  }

  /**
   * Makes an auth code for a token of that user.
   *
   * @throws FareproofError `CONTROL_FAILED`, or `INTERRUPTED`
   */
  async createAuthCode(partnerId: string, userId: string): Promise<string> {
    const answer = await this.#post('/auth-codes', { partnerId, userId }, 201);
    return textOf(answer, 'authCode', 'POST /auth-codes');
  }

  /** Request that reads an estimate's lock. */
  lockRequest(estimateId: string): WireRequest {
    return this.#request('GET', `/estimates/${encodeURIComponent(estimateId)}`, null);
  }

  /**
   * Reads the lock from the response to that request; null if the target has no such estimate.
   *
   * @throws FareproofError `CONTROL_FAILED`, or `INTERRUPTED`
   */
  lockOf({ response, error }: WireOutcome): LockState | null {
    if (!response) throw unanswered('GET /estimates', error);
    if (response.status === 404) return null;
    const { partnerId, estimatePrice, locked, lockedUntil } = parse(
      response,
      `GET /estimates`,
      200,
    );
    if (typeof locked !== 'boolean') throw controlFailed('GET /estimates answered no "locked"');
    return {
      partnerId: typeof partnerId === 'string' ? partnerId : null,
      locked,
      lockedUntilMs: instantOf(lockedUntil),
      estimatePrice: typeof estimatePrice === 'number' ? estimatePrice : null,
    };
  }

  async #postClock(body: object): Promise<number> {
    const { now } = await this.#post('/clock', body, 200);
    const time = typeof now === 'string' ? Date.parse(now) : Number.NaN;
    if (time >= CLOCK_RANGE.least && time <= CLOCK_RANGE.most) return time;
    throw controlFailed('POST /clock answered no ISO 8601 time of the years 1970 to 9000 as "now"');
  }

  async #post(path: string, body: object, status: number): Promise<Record<string, unknown>> {
    return parse(await this.#call('POST', path, JSON.stringify(body)), `POST ${path}`, status);
  }

  #request(method: string, path: string, body: string | null): WireRequest {
    return { method, url: this.#url + path, headers: this.#headers, body };
  }

  async #call(method: string, path: string, body: string | null): Promise<WireResponse> {
    const { response, error } = await this.#send(this.#request(method, path, body));
    if (response) return response;
    throw unanswered(`${method} ${path}`, error);
  }
}

function unanswered(call: string, { code, message }: TransportFailure): FareproofError {
  if (code === 'INTERRUPTED') return new FareproofError(code, message);
  if (code === 'CONNECT_REFUSED')
    return new FareproofError(
      'CONTROL_FAILED',
      `Nothing listens at the address of the target's control API (${message}). Start the service, or correct control.url in the profile.`,
    );
  return controlFailed(`${call}: ${message} (${code})`);
}

/** A text of an answer. */
function textOf(answer: Readonly<Record<string, unknown>>, field: string, call: string): string {
  const text = answer[field];
  if (typeof text !== 'string') throw controlFailed(`${call} answered no ${field}`);
  if (text.length <= LONGEST_TEXT) return text;
  throw controlFailed(
    `${call} answered a text of more than ${LONGEST_TEXT} characters as ${field}`,
  );
}

/** A target may answer 200 instead of 201: the body decides. */
function parse(response: WireResponse, call: string, status: number): Record<string, unknown> {
  if (response.status !== status && Math.trunc(response.status / 100) !== 2)
    throw controlFailed(`${call} answered ${response.status}, not ${status}`);
  try {
    const value = parseReceivedJson(response.body);
    if (value !== null && typeof value === 'object') return value as Record<string, unknown>;
  } catch {
    // Reported below, like any other body.
  }
  throw controlFailed(`${call} answered no JSON object`);
}

/** Error for a control API that does not do what it is asked to. */
export function controlFailed(what: string): FareproofError {
  return new FareproofError(
    'CONTROL_FAILED',
    `The target's control API failed: ${what}. Fix it, or remove "control" from the profile.`,
  );
}

/** A time in ms since the epoch; NaN for one without an offset, which may be in any zone. */
function instantOf(time: unknown): number {
  const isInstant = typeof time === 'string' && /(z|[+-]\d\d(:?\d\d)?)$/i.test(time);
  return isInstant ? Date.parse(time) : Number.NaN;
}
