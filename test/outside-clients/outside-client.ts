import type { ClientEnvironment } from '../../src/conformance/client/scenario/run-scenario.ts';
import {
  type Deviation,
  type EstimateOutcome,
  type Fields,
  type Habits,
  type Kind,
  QUERY,
  RIGHT,
  type RunningClient,
  type Slot,
  type Surroundings,
  type Token,
} from './habits.ts';
import { Lost, serialise, Wire, type WireAnswer, type WireRequest } from './wire.ts';

class Stopped extends Error {}

/** A client written apart from the checker; habits make it odd or wrong. */
export class OutsideClient implements RunningClient {
  readonly environment: ClientEnvironment;
  readonly surroundings: Surroundings;
  readonly habits: Habits;
  readonly slots: Slot[];
  readonly #wires: Wire[] = [];
  #refusals = 0;
  #tokenRequests = 0;
  #failedInRow = 0;

  constructor(environment: ClientEnvironment, deviation: Deviation, surroundings: Surroundings) {
    this.environment = environment;
    this.surroundings = surroundings;
    this.habits = { ...RIGHT, ...deviation };
    this.slots = Array.from({ length: this.habits.slots }, () => this.newSlot());
  }

  newSlot(): Slot {
    return { all: [], sent: new Set(), isRefused: false, uses: 0, busy: null };
  }

  /** Returns the exit code. */
  async run(): Promise<number> {
    try {
      await this.habits.run(this);
      return 0;
    } catch {
      return 1;
    } finally {
      for (const wire of this.#wires) wire.close();
    }
  }

  get intervalMs(): number {
    return Number(this.environment.FAREPROOF_INTERVAL_MS);
  }

  get count(): number {
    return Number(this.environment.FAREPROOF_ESTIMATES);
  }

  wire(): Wire {
    const wire = new Wire(this.environment.FAREPROOF_BASE_URL, this.habits);
    this.#wires.push(wire);
    return wire;
  }

  /** Each worker takes the next estimate, until there are none. */
  async runWorkers(): Promise<void> {
    const { workers, ownSlots } = this.habits;
    let next = 0;
    const work = async (worker: number): Promise<void> => {
      const wire = this.wire();
      for (;;) {
        const nth = ++next;
        if (nth > this.count || this.surroundings.isOver()) return;
        if (nth > workers) await this.surroundings.sleep(this.intervalMs * workers);
        const slot = this.slots[(ownSlots ? worker : nth) % this.slots.length]!;
        await this.estimateOnce(wire, slot, nth);
      }
    };
    await this.together(Array.from({ length: workers }, (_, worker) => () => work(worker)));
  }

  /** Runs tasks side by side; time passes while all of them sleep. */
  async together(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    const { enter, leave } = this.surroundings;
    for (const _ of tasks) enter();
    await Promise.all(tasks.map((task) => task().finally(leave)));
  }

  /** One estimate, with the attempts that it takes. */
  async estimateOnce(wire: Wire, slot: Slot, nth: number): Promise<void> {
    const { estimateAttempts, onUnauthorised, retryPauseMs, maxFailedEstimates } = this.habits;
    for (let attempt = 1; attempt <= estimateAttempts; attempt++) {
      const token = await this.token(wire, slot, attempt === 1 ? nth : 0);
      const { outcome, status, retryAfterMs } = await this.requestEstimate(wire, token, nth);
      if (outcome === 'good') {
        this.#failedInRow = 0;
        return;
      }
      if (status === 401 || status === 403) {
        const isRetry = onUnauthorised === 'retry-first' && !slot.isRefused && attempt === 1;
        if (onUnauthorised !== 'keep' && !isRetry) slot.isRefused = true;
      }
      if (++this.#failedInRow >= maxFailedEstimates) throw new Stopped('too many failures');
      await this.surroundings.sleep(Math.max(retryPauseMs * attempt, retryAfterMs));
    }
  }

  /** The slot's token while it is good, else its successor; one thread at a time. */
  async token(wire: Wire, slot: Slot, nth: number): Promise<Token> {
    while (slot.busy) await this.#waitFor(slot.busy);
    const task = this.#token(wire, slot, nth);
    slot.busy = task.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await task;
    } finally {
      slot.busy = null;
    }
  }

  /** Time passes while a thread waits for another one. */
  async #waitFor(task: Promise<unknown>): Promise<void> {
    this.surroundings.leave();
    await task;
    this.surroundings.enter();
  }

  async #token(wire: Wire, slot: Slot, nth: number): Promise<Token> {
    const { pickToken, marginMs, refreshes, replaces } = this.habits;
    const newest = slot.all.at(-1);
    if (newest === undefined) return this.obtain(wire, slot);
    const isGood = this.surroundings.now() < newest.endsMs - marginMs && !slot.isRefused;
    if (isGood && !(nth > 1 && replaces(nth))) return pickToken(slot.all, slot.uses++) ?? newest;
    slot.uses = 0;
    const next = refreshes ? await this.refresh(wire, slot) : await this.obtain(wire, slot);
    return pickToken(slot.all, slot.uses++) ?? next;
  }

  async refresh(wire: Wire, slot: Slot): Promise<Token> {
    const { pickRefresh, refreshAttempts, afterFailedRefresh, backoffMs } = this.habits;
    const picked = pickRefresh(slot.all) ?? slot.all.at(-1)!;
    const isUsed = slot.sent.has(picked.refresh) && refreshAttempts === 1;
    if (isUsed && this.habits.pickRefresh === RIGHT.pickRefresh) return this.obtain(wire, slot);
    slot.sent.add(picked.refresh);
    for (let attempt = 1; attempt <= refreshAttempts; attempt++) {
      const fields = { grant_type: 'refresh_token', refresh_token: picked.refresh };
      const token = await this.requestToken(wire, slot, fields, attempt);
      if (token) return token;
      await this.surroundings.sleep(backoffMs(attempt));
    }
    if (afterFailedRefresh === 'stop') throw new Stopped('the refresh failed');
    return this.obtain(wire, slot);
  }

  async obtain(wire: Wire, slot: Slot): Promise<Token> {
    const { FAREPROOF_MODE: mode, FAREPROOF_AUTH_CODE: code } = this.environment;
    const scope = this.habits.scope(mode);
    const grant = {
      ...(mode === 'user'
        ? { grant_type: 'authorization_code', auth_code: code }
        : { grant_type: 'client_credentials' }),
      ...(scope !== undefined && { scope }),
    };
    for (let attempt = 1; ; attempt++) {
      const token = await this.requestToken(wire, slot, grant, attempt);
      if (token) return token;
      if (this.surroundings.isOver()) throw new Stopped('out of time');
      await this.surroundings.sleep(this.habits.backoffMs(attempt));
    }
  }

  /** @throws Stopped after too many refusals */
  async requestToken(
    wire: Wire,
    slot: Slot,
    grant: Fields,
    attempt: number,
  ): Promise<Token | null> {
    const { habits, surroundings, environment } = this;
    if (this.#refusals >= habits.maxRefusals) throw new Stopped('refused too often');
    const nth = ++this.#tokenRequests;
    const time = habits.time(surroundings.now());
    const nostr = habits.nostr(surroundings.random);
    const fields = habits.fields({ ...grant, _: time, nostr }, nth);
    const signature = habits.sign(fields, environment.FAREPROOF_SIGNING_KEY, 'token');
    const body = Buffer.from(habits.json(habits.sentFields(fields, this)));
    const isRefresh = grant['grant_type'] === 'refresh_token';
    const request: WireRequest = {
      method: habits.tokenMethod,
      target: habits.tokenTarget,
      headers: [
        ['Host', new URL(environment.FAREPROOF_BASE_URL).host],
        ['Content-Type', 'application/json'],
        ['Authorization', habits.tokenHeader(environment.FAREPROOF_PARTNER_ID, signature)],
        ['Content-Length', String(body.length)],
      ],
      body,
      version: 'HTTP/1.1',
    };
    const answer = await this.send(wire, request, 'token', nth);
    const token = answer && habits.readToken(answer, attempt);
    if (!token) {
      const outcome = outcomeOf(answer);
      if (outcome === 'refused' || outcome === 'unreadable') this.#refusals++;
      if (habits.diesOf('token', outcome, isRefresh)) throw new Stopped(outcome);
      return null;
    }
    this.#refusals = 0;
    slot.isRefused = false;
    const kept = {
      access: String(token['access_token']),
      refresh: String(token['refresh_token']),
      endsMs: surroundings.now() + habits.lifeMs(token),
    };
    slot.all.push(kept);
    return kept;
  }

  async requestEstimate(
    wire: Wire,
    token: Token,
    nth: number,
  ): Promise<{
    readonly outcome: EstimateOutcome;
    readonly status: number;
    readonly retryAfterMs: number;
  }> {
    const answer = await this.send(wire, this.estimateRequest(token, nth), 'estimate', nth);
    const isGood = answer !== null && this.habits.readEstimate(answer);
    const outcome = isGood ? 'good' : outcomeOf(answer);
    if (!isGood && this.habits.diesOf('estimate', outcome, false)) throw new Stopped(outcome);
    const retryAfterMs = Number(answer?.headers['retry-after'] ?? 0) * 1000;
    return { outcome, status: answer?.status ?? 0, retryAfterMs };
  }

  estimateRequest({ access }: Token, nth: number): WireRequest {
    const { habits, environment } = this;
    const { FAREPROOF_PARTNER_ID: id, FAREPROOF_SIGNING_KEY: key } = environment;
    const texts = {
      from_name: environment.FAREPROOF_FROM_NAME,
      to_name: environment.FAREPROOF_TO_NAME,
      imei: environment.FAREPROOF_IMEI,
    };
    const given = Object.entries(texts).filter(([, text]) => text !== undefined);
    const asked = { ...QUERY, ...(Object.fromEntries(given) as Record<string, string>) };
    const pairs = habits.query(Object.entries(asked), nth);
    const isUser = environment.FAREPROOF_MODE === 'user';
    const signature = isUser ? habits.sign(Object.fromEntries(pairs), key, 'estimate') : null;
    return {
      method: habits.estimateMethod,
      target: `${habits.estimateTarget}?${habits.encode(pairs)}`,
      headers: [
        ['Host', new URL(environment.FAREPROOF_BASE_URL).host],
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ['Authorization', habits.estimateHeader(id, signature, access)],
      ],
      body: Buffer.alloc(0),
      version: 'HTTP/1.1',
    };
  }

  /** The answer; null if it was lost. */
  async send(wire: Wire, plain: WireRequest, kind: Kind, nth: number): Promise<WireAnswer | null> {
    const { request, bytes } = this.habits;
    const written = bytes(serialise(request(plain, kind, nth)), kind);
    try {
      const [answer] = await wire.exchange(written);
      return answer ?? null;
    } catch (error) {
      if (error instanceof Lost) return null;
      throw error;
    }
  }
}

function outcomeOf(answer: WireAnswer | null): EstimateOutcome {
  if (answer === null) return 'lost';
  return answer.status === 200 ? 'unreadable' : 'refused';
}
