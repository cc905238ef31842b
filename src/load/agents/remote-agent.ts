import { FareproofError } from '../../interface/errors.ts';
import type { LoadClock } from '../clock.ts';
import type { AgentLoss } from '../engine/engine.ts';
import type { AgentFacts, FromAgent, MessageChannel, ToAgent } from './message.ts';

/** An agent that has joined. */
export interface JoinedAgent {
  readonly facts: AgentFacts;
  readonly channel: MessageChannel<ToAgent, FromAgent>;
}

/** Messages about a run. */
export type FromRun = Exclude<FromAgent, { kind: 'join' | 'pong' }>;

const PING_MS = 100;
/** Pings in a row without any answer after which an agent counts as silent: 1.6 s. */
const SILENT_PINGS = 16;
/** Pings that cannot be sent, after which the agents have given up: 4 s. */
const DOWN_PINGS = 40;
const ROUND_TRIPS = 40;

/** An agent that has joined: its facts, its clock, whether it still answers, and its messages. */
export class RemoteAgent {
  readonly facts: AgentFacts;
  /** Resolves when the agent is lost, or has left. */
  readonly lost: Promise<AgentLoss['how']>;
  clock: ClockOffset = { offsetNs: 0, errorNs: 0, longestTripNs: 0 };
  isLost = false;
  readonly #channel: JoinedAgent['channel'];
  readonly #ownClock: LoadClock;
  readonly #beating: NodeJS.Timeout;
  #unanswered = 0;
  #unsent = 0;
  #pinged = { number: 0, sentNs: 0 };
  #onTrip: (trip: RoundTrip) => void = () => undefined;
  #onRun: (message: FromRun) => void = () => undefined;
  #lose: (how: AgentLoss['how']) => void = () => undefined;

  /** @param clock of the controller */
  constructor({ facts, channel }: JoinedAgent, clock: LoadClock) {
    this.facts = facts;
    this.#channel = channel;
    this.#ownClock = clock;
    this.lost = new Promise((resolve) => {
      this.#lose = (how) => {
        this.isLost = true;
        clearInterval(this.#beating);
        channel.close();
        resolve(how);
      };
    });
    channel.listen((message) => this.#take(message));
    void channel.ended.then(() => this.#lose('ended'));
    this.#beating = setInterval(() => this.#beat(), PING_MS);
  }

  send(message: ToAgent): void {
    this.#channel.send(message);
  }

  /** Calls the listener for messages about runs; there is one listener. */
  listen(listener: (message: FromRun) => void): void {
    this.#onRun = listener;
  }

  /** Measures the offset of the agent's clock anew, by 40 round trips. */
  async measureClock(): Promise<void> {
    const trips: RoundTrip[] = [];
    while (trips.length < ROUND_TRIPS && !this.isLost) {
      const trip = await Promise.race([this.#roundTrip(), this.lost]);
      if (typeof trip === 'object') trips.push(trip);
    }
    if (trips.length > 0) this.clock = offsetOf(trips);
  }

  /** Tells the agent to leave, and closes the channel. */
  leave(): void {
    this.send({ kind: 'leave' });
    this.#lose('ended');
  }

  #roundTrip(): Promise<RoundTrip> {
    return new Promise((resolve) => {
      this.#onTrip = resolve;
      this.#ping();
    });
  }

  #ping(): void {
    const number = this.#pinged.number + 1;
    this.#pinged = { number, sentNs: this.#ownClock.monotonicNs() };
    this.send({ kind: 'ping', number });
  }

  /** Counts pings and not time: a controller that got no core reads what came before it judges. */
  #beat(): void {
    this.#unsent = this.#channel.isDown ? this.#unsent + 1 : 0;
    if (this.#unsent === 0) this.#unanswered++;
    if (this.#unanswered > SILENT_PINGS || this.#unsent > DOWN_PINGS) this.#lose('silent');
    else this.#ping();
  }

  #take(message: FromAgent): void {
    this.#unanswered = 0;
    if (message.kind === 'pong') {
      const { number, sentNs } = this.#pinged;
      const receivedNs = this.#ownClock.monotonicNs();
      // An answer that comes after the next ping measures nothing.
      if (message.number === number) this.#onTrip({ sentNs, receivedNs, agentNs: message.atNs });
    } else if (message.kind !== 'join') this.#onRun(message);
  }
}

/**
 * Waits for the message by which an agent joins on its channel. A signal that aborts closes it.
 *
 * @throws FareproofError `AGENT_NOT_JOINED`
 */
export function joinedOver(
  channel: JoinedAgent['channel'],
  signal: AbortSignal,
): Promise<JoinedAgent> {
  return new Promise((resolve, reject) => {
    channel.listen((message) => {
      if (message.kind === 'join') resolve({ facts: message.facts, channel });
    });
    const giveUp = (): void => {
      channel.close();
      reject(notJoined(signal));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    void channel.ended.then(() => reject(notJoined({ reason: 'its process ended' })));
  });
}

/** The error for an agent that did not join, with the reason of the signal that ended the waiting. */
export function notJoined({ reason }: Pick<AbortSignal, 'reason'>): FareproofError {
  return new FareproofError('AGENT_NOT_JOINED', `An agent was to join, and ${reason}.`);
}

/** Difference of two monotonic clocks. */
export interface ClockOffset {
  /** To be added to a time of the controller's clock, nanoseconds. */
  readonly offsetNs: number;
  /** The true offset differs by at most this, nanoseconds: half of the round trip. */
  readonly errorNs: number;
  /** The longest round trip, nanoseconds. */
  readonly longestTripNs: number;
}

/** One exchange of a ping and its answer. */
export interface RoundTrip {
  /** Controller's clock, nanoseconds. */
  readonly sentNs: number;
  readonly receivedNs: number;
  /** The agent's clock, between the two, nanoseconds. */
  readonly agentNs: number;
}

/**
 * Estimates the offset by the shortest of the round trips, as in NTP (RFC 5905, section 10): it
 * leaves the least room for the moment at which the agent read its clock.
 *
 * @throws RangeError without a round trip
 */
export function offsetOf(trips: readonly RoundTrip[]): ClockOffset {
  const lengthOf = ({ sentNs, receivedNs }: RoundTrip): number => receivedNs - sentNs;
  const best = trips.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
  if (best === undefined) throw new RangeError('an offset needs a round trip');
  return {
    offsetNs: best.agentNs - (best.sentNs + best.receivedNs) / 2,
    errorNs: lengthOf(best) / 2,
    longestTripNs: Math.max(...trips.map(lengthOf)),
  };
}
