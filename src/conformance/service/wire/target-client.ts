import type { Part } from '../../../documents/exchange.ts';
import { FareproofError } from '../../../interface/errors.ts';
import type { OptionalParameter } from '../../../interface/limits.ts';
import { type Asked, askedIn } from '../../model/asked.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { SteadyClock } from '../../steady-clock.ts';
import type { SpendCounter } from '../budget/spend-counter.ts';
import { noRests, type Rests } from '../contract/check.ts';
import type { Rest } from '../contract/messages.ts';
import type { Facts, LockState, Target } from '../contract/target.ts';
import type { RequestResult, Send, WireOutcome, WireRequest } from '../http/message.ts';
import { Recording } from '../resume/recording.ts';
import type { RunLog } from '../resume/run-log.ts';
import { type SleepUntil, TargetClock } from './clock.ts';
import { ControlApi } from './control-api.ts';
import { EstimateConnections } from './estimate-connections.ts';
import type { Evidence, PartLabel, RequestLabel } from './evidence.ts';
import { isLimitStatus, type RateLimiter } from './rate-limit.ts';
import { CircuitBreaker, requireReachable } from './reachability.ts';
import { RecentAnswers } from './recent-answers.ts';
import type { Given } from './recipe.ts';
import { RightRequests } from './right-requests.ts';
import type { Stability } from './stability.ts';
import { Stamp } from './time-form.ts';

/** Parts of a target client. */
export interface TargetClientOptions {
  /** Ids of the exchanges that were rested, in a run that is judged again: one batch after the other. */
  readonly restedIds?: ReadonlySet<string> | undefined;
  readonly target: Target;
  readonly facts: Facts;
  readonly evidence: Evidence;
  readonly send: Send;
  /** Lets some ms pass in which connections open. */
  readonly pause: (forMs: number) => Promise<void>;
  readonly rateLimit: RateLimiter;
  readonly random: SeededRandom;
  readonly stability: Stability;
  readonly spend: SpendCounter;
  /** Requests that an earlier part of the run sent. */
  readonly recording: Recording;
  /** Log of the requests that are sent now; null for none. */
  readonly runLog: RunLog | null;
  /** This machine's time of day. */
  readonly machine: SteadyClock;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
  /** Waits until this machine's clock stands at a time; rejects when the signal aborts. */
  readonly sleepUntil: SleepUntil;
  /** Statuses of limits that another client of the target knows and learns; left out, none yet. */
  readonly limitStatuses?: Set<number> | undefined;
  /** Stops all sending when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

const HOUR_MS = 3_600_000;

/** Result of a request, and whether a limit of the target's rate may have refused it. */
export interface SendResult extends RequestResult {
  /** True if so few requests were sent in the minute up to it that no target refuses them for its rate. */
  readonly isRested: boolean;
  /** Time of the monotonic clock at which it asked for its turn, ms. */
  readonly askedMs: number;
}

/** Functions called around the sending of one request. */
export interface SendHooks {
  /** Called just before the request is sent; throws to stop it. */
  readonly beforeSent?: () => void;
  /** Called with the answer before it is stored as evidence. */
  readonly beforeStored?: (outcome: WireOutcome) => void;
  /**
   * True for a request that may be sent again if it was refused for the target's rate: it must
   * succeed, and costs nothing.
   */
  readonly isRepeatable?: boolean;
  /** Period of the rate limits that have reset when it is sent. */
  readonly rest?: Rest | undefined;
}

/** Time after which a request is not sent again, ms: its `_` may be too old by then. */
const STALE_MS = 90_000;

/** Requests of a run that show whether others were refused for the rate, at most. */
const MOST_PROBES = 40;

/** Times that a request is sent before its refusal for the target's rate stands. */
const MOST_ATTEMPTS = 7;

/** Sends requests to one target in one environment, and reads its clock. */
export class TargetClient {
  readonly target: Target;
  #facts: Facts;
  readonly evidence: Evidence;
  readonly random: SeededRandom;
  readonly spend: SpendCounter;
  readonly recording: Recording;
  readonly control: ControlApi | null;
  readonly clock: TargetClock;
  /** Shared by the targets of a run: they are one service. */
  readonly stability: Stability;
  readonly pause: TargetClientOptions['pause'];
  readonly stamp: Stamp = new Stamp();
  readonly rateLimit: RateLimiter;
  /** Statuses by which the target was seen to refuse a request for its rate that it accepts otherwise. */
  readonly limitStatuses: Set<number>;
  /** Statuses with which the target was seen to refuse an estimate after a minute of rest too. */
  readonly lastingStatuses: Set<number> = new Set();
  readonly rests: Rests = noRests();
  /** Ids of the partners that sent requests, or were made to. */
  readonly partnerIds: Set<string> = new Set();
  /** Tokens and auth codes that the target gave. */
  readonly given: Given = new Map();
  /** Optional parameters without which the target was seen to refuse an estimate. */
  demanded: readonly OptionalParameter[] = [];
  readonly #options: TargetClientOptions;
  readonly #breaker = new CircuitBreaker();
  readonly rightRequests: RightRequests = new RightRequests();
  readonly #connections = new EstimateConnections();
  #probes = 0;
  readonly #recent = new RecentAnswers();
  #reached: Promise<void> | null = null;
  /** Ends with the last task that runs alone. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: TargetClientOptions) {
    const { target } = options;
    this.#options = options;
    this.pause = options.pause;
    this.target = target;
    this.#facts = options.facts;
    this.evidence = options.evidence;
    this.random = options.random;
    this.stability = options.stability;
    this.rateLimit = options.rateLimit;
    this.spend = options.spend;
    this.limitStatuses = options.limitStatuses ?? new Set();
    this.recording = options.recording;
    this.control = target.control ? new ControlApi(target.control, options.send) : null;
    this.clock = new TargetClock(options.machine, this.control, options.sleepUntil);
    this.clock.continue(options.recording.earlier);
    options.evidence.redactor.addProfile(target);
  }

  /**
   * Client of the same target whose requests are evidence of something else, and in no log of the run.
   *
   * @param spend counts its token requests
   */
  apart(evidence: Evidence, spend: SpendCounter): TargetClient {
    const recording = new Recording([], new Map());
    const options = {
      ...this.#options,
      facts: this.#facts,
      evidence,
      spend,
      recording,
      runLog: null,
      limitStatuses: this.limitStatuses,
    };
    const client = new TargetClient(options);
    client.stamp.form = this.stamp.form;
    client.stamp.offsetMs = this.stamp.offsetMs;
    client.stamp.isSettled = this.stamp.isSettled;
    client.demanded = this.demanded;
    client.#reached = this.#reached;
    return client;
  }

  /** Facts about the target, as far as they are known. */
  get facts(): Facts {
    return this.#facts;
  }

  /** Runs a task once those before it have ended. */
  alone(task: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(task);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Notes that refused requests of this target count against no allowance. */
  noteRefusedAreFree(): void {
    this.#facts = { ...this.#facts, refusedAreFree: true };
  }

  /**
   * Sends one request and stores it as evidence; one that an earlier part of the run sent is answered
   * from its recording. An endpoint that stopped answering fails at once. A request that was refused
   * for the target's rate, by status 429 or 503 or as another request shows, is sent again later where that
   * costs nothing.
   *
   * @throws FareproofError `TARGET_UNREACHABLE`, or `INTERRUPTED` or `REQUESTS_SPENT` before it is sent
   */
  async send(request: WireRequest, label: PartLabel, hooks: SendHooks): Promise<SendResult> {
    let limitStatus: number | null = null;
    const startMs = this.#options.monotonic();
    const atMs = this.clock.now();
    for (let attempt = 1; ; attempt++) {
      const part = { ...label.part, ...(attempt === 1 ? {} : { repeat: attempt }) };
      const result = await this.#sendOnce(request, { ...label, part }, hooks);
      const { response } = result.outcome;
      const again = { ...part, repeat: attempt + 1 };
      const isReplayed = this.recording.has(part);
      const isLimit =
        response &&
        (isLimitStatus(response.status) ||
          (hooks.isRepeatable &&
            (isReplayed
              ? this.recording.has(again)
              : (this.limitStatuses.has(response.status) &&
                  this.rateLimit.isOfBurst(result.askedMs)) ||
                (await this.#isForRate(
                  response.status,
                  limitStatus,
                  request.headers['authorization'],
                )))));
      if (!isLimit) {
        // Only a limit passes: what exceeds an allowance is refused until the clock is moved by a day.
        const isMoved =
          this.clock.now() - atMs > 2 * (this.#options.monotonic() - startMs) + HOUR_MS;
        if (response?.status === 200 && limitStatus !== null && !isMoved)
          this.limitStatuses.add(limitStatus);
        return result;
      }
      limitStatus = response.status;
      const isKnown = isLimitStatus(response.status) || this.limitStatuses.has(response.status);
      const most = isKnown ? MOST_ATTEMPTS : MOST_ATTEMPTS - 1;
      const isOver = attempt === most || this.#options.signal?.aborted;
      // What lasts is no limit: no other refusal of the run is suspected to be one.
      if (isOver && !isKnown) this.#noteNoLimit();
      if (!hooks.isRepeatable || isOver) return result;
      if (isReplayed) {
        if (this.recording.has(again)) continue;
        return result;
      }
      await this.rateLimit.backOff(
        response.headers['retry-after'],
        result.askedMs,
        attempt,
        isLimitStatus(response.status),
      );
      if (this.#options.monotonic() - startMs <= STALE_MS) continue;
      if (!isKnown) this.#noteNoLimit();
      return result;
    }
  }

  /** Notes that a refusal which seemed to be for the rate lasts: no other one is suspected. */
  #noteNoLimit(): void {
    this.#probes = MOST_PROBES;
    if (this.limitStatuses.size === 0) this.rateLimit.noteNoLimit();
  }

  /**
   * Checks whether a status that says nothing of a limit refuses for the rate: then it refuses another request
   * as well, which was accepted before.
   *
   * @param former the status of such a limit by which the request was refused before; null for none
   * @param authorization header of the refused request
   */
  async #isForRate(
    status: number,
    former: number | null,
    authorization: string | undefined,
  ): Promise<boolean> {
    if (Math.trunc(status / 100) === 2) return false;
    if (status === former) return true;
    if (this.#probes >= MOST_PROBES) return false;
    const request = await this.rightRequests.another(authorization, this.clock.now());
    if (!request) return false;
    this.#probes++;
    const label = { purpose: 'another request, which was accepted before', partnerId: null };
    const { outcome } = await this.#exchange(request, label, this.#options);
    return outcome.response?.status === status;
  }

  /**
   * Requests up to one, as the models of allowances and of tokens see them.
   *
   * @param last id of the exchange; null for none
   */
  log(last: string | null): readonly Asked[] {
    const log = askedIn(this.evidence.raw, this.target.baseUrl);
    if (log.at(-1)?.id === last) return log;
    return log.slice(0, log.findIndex(({ id }) => id === last) + 1);
  }

  async #sendOnce(request: WireRequest, label: PartLabel, hooks: SendHooks): Promise<SendResult> {
    const replayed = this.recording.replay(label.part, request);
    if (replayed) {
      hooks.beforeStored?.(replayed.outcome);
      return this.#afterOthers(replayed, this.#options.monotonic());
    }
    // Of requests at once, those that a killed process sent may have used the token up.
    if (request.gate && this.recording.hasLost(label.part))
      throw new FareproofError(
        'EXCHANGE_MISSING',
        'the run ended while others like it were sent at once',
      );
    this.#reached ??= requireReachable(this.target, (probe) => this.#probe(probe));
    await this.#reached;
    if (hooks.rest) await this.rateLimit.rest(hooks.rest);
    await this.clock.refresh();
    const askedMs = await this.rateLimit.turn(request.gate?.opened);
    if (this.#options.signal?.aborted)
      throw new FareproofError('INTERRUPTED', 'the run was interrupted');
    if (this.evidence.isFull)
      throw new FareproofError(
        'REQUESTS_SPENT',
        `the run had sent ${this.evidence.most} requests by then, far more than it planned`,
      );
    hooks.beforeSent?.();
    const headers = { ...this.target.headers, ...request.headers };
    const apart = request.method === 'GET' ? this.#connections.next(label) : undefined;
    const mayBeKept = this.#mayBeKept(request, label);
    const sent = { ...request, headers, apart, mayBeKept };
    const startMs = this.#options.monotonic();
    request.gate?.arrive();
    const result = await this.#exchange(sent, label, {
      send: async (wire) => this.#breaker.rejection(wire.url) ?? (await this.#options.send(wire)),
      isLogged: request.method === 'POST',
      beforeStored: hooks.beforeStored,
    });
    this.#breaker.record(request, result.outcome);
    const { response } = result.outcome;
    if (label.expects === 'accepted')
      this.rightRequests.note({ ...request, headers }, response?.status, result.answeredAtMs);
    if (response?.status === 200) this.rateLimit.noteAccepted(startMs);
    return this.#afterOthers(result, askedMs);
  }

  #afterOthers(result: RequestResult, askedMs: number): SendResult {
    const isRested = this.#recent.take(result);
    return { ...result, askedMs, isRested: this.#options.restedIds?.has(result.id) ?? isRested };
  }

  /**
   * Checks whether a token request may use a kept connection, and be sent again if that closes: where
   * it costs nothing, and no allowance is counted.
   */
  #mayBeKept({ gate }: WireRequest, { part }: PartLabel): boolean {
    const { hasControl, metered } = this.facts;
    return hasControl && !metered && !gate && !part.counted;
  }

  /**
   * Reads an estimate's lock by the control API, and stores that as evidence too.
   *
   * @throws FareproofError `CONTROL_FAILED`
   */
  async readLock(
    estimateId: string,
    partnerId: string,
    part: Part,
  ): Promise<{ exchange: string; answeredAtMs: number; lock: LockState | null }> {
    const { control } = this;
    if (!control)
      throw new FareproofError('CONTROL_FAILED', 'There is no control API to read a lock from.');
    const label = { purpose: 'the lock of the estimate, by the control API', partnerId, part };
    const request = control.lockRequest(estimateId);
    const { id, outcome, answeredAtMs } =
      this.recording.replay(part, request) ??
      (await this.#exchange(request, label, { send: this.#options.send }));
    return { exchange: id, answeredAtMs, lock: control.lockOf(outcome) };
  }

  /** Notes by how much a clock was set while exchanges were measured. */
  noteClockStep(exchanges: readonly string[], stepMs: number): void {
    for (const id of exchanges) this.evidence.noteClockStep(id, stepMs);
    this.#options.runLog?.stepped(exchanges, stepMs);
  }

  /** Sends a request that belongs to no partner and no check. */
  async #probe(request: WireRequest): Promise<WireOutcome> {
    const label = { purpose: 'whether the target answers at all', partnerId: null };
    const { outcome } = await this.#exchange(request, label, { send: this.#options.send });
    const date = outcome.response?.headers['date'];
    if (!this.control) this.stamp.learnOffset(date, this.clock.machineNow());
    return outcome;
  }

  /** @param how `isLogged` writes the request to the run log before it is sent, as it may count */
  async #exchange(
    request: WireRequest,
    label: RequestLabel,
    how: {
      readonly send: Send;
      readonly isLogged?: boolean;
      readonly beforeStored?: SendHooks['beforeStored'];
    },
  ): Promise<RequestResult> {
    const { runLog, machine, monotonic } = this.#options;
    const id = this.evidence.nextId();
    const [atMs, startMs, sentAtMs] = [machine.now(), monotonic(), this.clock.now()];
    if (runLog && how.isLogged) {
      const underWay = this.evidence.record(id, label, request, null, { atMs, durationMs: 0 });
      runLog.sending(underWay(), sentAtMs);
    }
    const outcome = await how.send(request);
    const durationMs = Math.round((monotonic() - startMs) * 1000) / 1000;
    const answeredAtMs = this.clock.now();
    this.clock.seeDate(outcome.response?.headers['date'], atMs);
    how.beforeStored?.(outcome);
    // The target's own time is recorded where it has a clock of its own.
    const times = { atMs, durationMs, ...(this.control ? { targetAtMs: sentAtMs } : {}) };
    const stored = this.evidence.record(id, label, request, outcome, times);
    runLog?.exchanged({ exchange: stored(), sentAtMs, answeredAtMs });
    return { id, outcome, sentAtMs, answeredAtMs };
  }
}
