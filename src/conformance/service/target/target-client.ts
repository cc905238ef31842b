import { FareproofError } from '../../../interface/errors.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import type { Facts } from '../contract/target.ts';
import { SHAPES, type Target } from '../contract/target.ts';
import type { Transport, WireOutcome, WireRequest } from '../http/transport.ts';
import type { Recording } from '../resume/recording.ts';
import type { RunLog } from '../resume/run-log.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { TargetClock } from './clock.ts';
import { ControlApi, type LockState } from './control-api.ts';
import type { OptionalParameter } from './estimate-query.ts';
import type { Evidence, RequestLabel } from './evidence.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requireReachable } from './reachability.ts';

/** How long a spent request is held against an allowance: a day of any kind, 25 hours at most. */
const DAY_HELD_MS: number = 25 * 3_600_000;

/** Headers of a profile that hold no secret, whatever they say. */
const PLAIN_HEADER =
  /^(accept(-.*)?|cache-control|connection|content-type|host|origin|referer|user-agent|via)$/i;

/** What a request came to, with its evidence's id and the target's time around it. */
export interface Exchanged {
  readonly id: string;
  readonly outcome: WireOutcome;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** What a site needs; times are milliseconds. */
export interface TargetClientOptions {
  readonly target: Target;
  readonly evidence: Evidence;
  readonly transport: Transport;
  readonly rateLimit: RateLimiter;
  readonly wall: () => number;
  readonly monotonic: () => number;
  /** Whether requests are counted out, even with a control API. */
  readonly metered: boolean;
  /** When it aborts, nothing more is sent. */
  readonly signal?: AbortSignal | undefined;
  /** When the run began, its earlier parts included; ms since the epoch. */
  readonly startedAtMs: number;
  /** Rules that are asked for. */
  readonly asked: (rule: string) => boolean;
  /** Whether the run stays until times come that are far off. */
  readonly waits: boolean;
  /** Waits until the wall clock stands at a time; rejects where the signal aborts. */
  readonly sleepUntil: (atMs: number) => Promise<void>;
  /** What was sent before; where it is kept what is sent now. */
  readonly recording: Recording;
  readonly runLog: RunLog | null;
}

/** A target in one environment: what is known of it, its clock, and the one way to send to it. */
export class TargetClient {
  readonly target: Target;
  readonly facts: Facts;
  readonly evidence: Evidence;
  readonly control: ControlApi | null;
  readonly clock: TargetClock;
  /** Optional parameters of an estimate without which this target was seen to refuse it. */
  demanded: readonly OptionalParameter[] = [];
  /** Token requests sent, by partner and allowance. */
  readonly spend: Map<string, Record<AllowanceKind, number>> = new Map();
  readonly #options: TargetClientOptions;
  /** What was counted, with its time. */
  readonly #counted: { partnerId: string; kind: AllowanceKind; atMs: number }[] = [];
  readonly #breaker = new CircuitBreaker();
  #reached: Promise<void> | null = null;

  constructor(options: TargetClientOptions) {
    const { target, transport } = options;
    this.#options = options;
    this.target = target;
    this.evidence = options.evidence;
    this.control = target.control ? new ControlApi(target.control, transport.send) : null;
    this.clock = new TargetClock(options.wall, this.control, options.sleepUntil);
    this.facts = {
      environment: target.environment,
      tokenFields: target.signature.tokenFields,
      estimateFields: target.signature.estimateFields,
      shapes: SHAPES.filter((shape) => target.estimates[shape] !== undefined),
      hasControl: this.control !== null,
      metered: options.metered,
      asked: options.asked,
      waits: options.waits,
    };
    this.#nameSecrets();
  }

  /** What the profile holds is redacted from the first exchange on, whoever's it is. */
  #nameSecrets(): void {
    const { redactor } = this.evidence;
    const { headers, partners, control, tls } = this.target;
    for (const [name, value] of Object.entries(headers))
      if (!PLAIN_HEADER.test(name)) redactor.add('header', value);
    if (control?.token !== undefined) redactor.add('control_token', control.token);
    if (tls?.key !== undefined) redactor.add('signing_key', tls.key, 'tls');
    for (const { id, signingKey, authCodes, accessToken } of partners) {
      redactor.add('signing_key', signingKey, id);
      for (const code of authCodes) redactor.add('auth_code', code);
      if (accessToken !== undefined) redactor.add('access_token', accessToken);
    }
  }

  /**
   * Sends one request and keeps it as evidence; one that an earlier part of the run sent is answered
   * from there. A target that never answered is unreachable; an endpoint that stopped answering is
   * given up, and what is still asked of it fails at once.
   *
   * @param beforeSent told at the last moment before a request goes out; throws to stop it
   * @param beforeKept sees the answer before it is redacted
   * @throws FareproofError `TARGET_UNREACHABLE`, or `INTERRUPTED` before it is sent
   */
  async send(
    request: WireRequest,
    label: RequestLabel,
    beforeSent: () => void,
    beforeKept: (outcome: WireOutcome) => void,
  ): Promise<Exchanged> {
    const { recording, runLog, transport, rateLimit, wall, monotonic } = this.#options;
    const past = recording.replay(label.key);
    if (past) {
      beforeKept(past.outcome);
      return past;
    }
    this.#reached ??= requireReachable(this.target, (look) => this.#look(look));
    await this.#reached;
    await this.clock.refresh();
    await rateLimit();
    this.stopIfInterrupted();
    beforeSent();
    const id = this.evidence.nextId();
    const atMs = wall();
    const start = monotonic();
    const sentAtMs = this.clock.now();
    const sent = { ...request, headers: { ...this.target.headers, ...request.headers } };
    if (runLog && request.method === 'POST') {
      const underWay = this.evidence.record(id, label, sent, null, { atMs, durationMs: 0 });
      runLog.sending(underWay(), sentAtMs);
    }
    const outcome = this.#breaker.lost(request.url) ?? (await transport.send(sent));
    const durationMs = Math.round((monotonic() - start) * 1000) / 1000;
    const answeredAtMs = this.clock.now();
    beforeKept(outcome);
    const times = { atMs, durationMs, ...this.#targetTime(sentAtMs) };
    const kept = this.evidence.record(id, label, sent, outcome, times);
    runLog?.exchanged({ exchange: kept(), sentAtMs, answeredAtMs });
    this.#breaker.note(request.url, outcome);
    return { id, outcome, sentAtMs, answeredAtMs };
  }

  /**
   * Looks an estimate's lock up by the control API, and keeps that as evidence too.
   *
   * @throws FareproofError `CONTROL_FAILED`
   */
  async readLock(
    estimateId: string,
    partnerId: string,
    key: string,
  ): Promise<{ exchange: string; answeredAtMs: number; lock: LockState | null }> {
    const { control } = this;
    if (!control) throw new FareproofError('CONTROL_FAILED', 'There is no control API to ask.');
    const purpose = 'the lock of the estimate, by the control API';
    const past = this.#options.recording.replay(key);
    const { id, outcome, answeredAtMs } =
      past ?? (await this.#keep(control.lockRequest(estimateId), { purpose, partnerId, key }));
    return { exchange: id, answeredAtMs, lock: control.lockOf(outcome) };
  }

  /** Sends a request that belongs to no check. */
  async #look(request: WireRequest): Promise<WireOutcome> {
    const purpose = 'whether the target answers at all';
    return (await this.#keep(request, { purpose, partnerId: null, key: 'reach' })).outcome;
  }

  /** Sends a request that no account pays for, and keeps it as evidence. */
  async #keep(request: WireRequest, label: RequestLabel): Promise<Exchanged> {
    const { runLog, transport, wall, monotonic } = this.#options;
    const id = this.evidence.nextId();
    const [atMs, start, sentAtMs] = [wall(), monotonic(), this.clock.now()];
    const outcome = await transport.send(request);
    const durationMs = Math.round((monotonic() - start) * 1000) / 1000;
    const answeredAtMs = this.clock.now();
    const key = label.partnerId === null ? `${label.key}:${id}` : label.key;
    const times = { atMs, durationMs, ...this.#targetTime(sentAtMs) };
    const kept = this.evidence.record(id, { ...label, key }, request, outcome, times);
    runLog?.exchanged({ exchange: kept(), sentAtMs, answeredAtMs });
    return { id, outcome, sentAtMs, answeredAtMs };
  }

  /** Told where the target has a clock of its own. */
  #targetTime(sentAtMs: number): { targetAtMs?: number } {
    return this.control ? { targetAtMs: sentAtMs } : {};
  }

  /** Whether an earlier part of the run sent the request of that key. */
  isPast(key: string): boolean {
    return this.#options.recording.sentAt(key) !== null;
  }

  /** When it did, in ms; null where it did not. */
  sentAt(key: string): number | null {
    return this.#options.recording.sentAt(key);
  }

  /** Whether the answer to one of these requests was lost when an earlier part of the run died. */
  hasLost(keyStart: string): boolean {
    return this.#options.recording.hasLost(keyStart);
  }

  /**
   * Ends a check in its middle where the run was interrupted.
   *
   * @throws FareproofError `INTERRUPTED`
   */
  stopIfInterrupted(): void {
    if (!this.#options.signal?.aborted) return;
    throw new FareproofError('INTERRUPTED', 'the run was interrupted');
  }

  /** Counts a token request as spent; one whose kind is unclear counts for each kind. */
  count(partnerId: string, kinds: readonly AllowanceKind[], key: string): void {
    const spent = this.spend.get(partnerId) ?? { platform: 0, user: 0, refresh: 0 };
    const atMs = this.sentAt(key) ?? this.#options.wall();
    for (const kind of kinds) {
      spent[kind]++;
      this.#counted.push({ partnerId, kind, atMs });
    }
    this.spend.set(partnerId, spent);
  }

  /** Whether what was spent before the run may still stand against today's allowance. */
  isSameDay(): boolean {
    return this.#options.wall() < this.#options.startedAtMs + DAY_HELD_MS;
  }

  /** Of what was counted, that which may still stand against today's allowance. */
  countedToday(partnerId: string, kind: AllowanceKind): number {
    const sinceMs = this.#options.wall() - DAY_HELD_MS;
    return this.#counted.filter(
      (one) => one.partnerId === partnerId && one.kind === kind && one.atMs > sinceMs,
    ).length;
  }
}
