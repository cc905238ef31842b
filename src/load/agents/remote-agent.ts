import { setTimeout as sleep } from 'node:timers/promises';
import { FareproofError } from '../../interface/errors.ts';
import type { LoadClock } from '../clock.ts';
import type { AgentLoss } from '../engine/engine.ts';
import type { MessageChannel } from './channel.ts';
import { type ClockOffset, offsetOf, type RoundTrip } from './clock-offset.ts';
import type { AgentFacts, FromAgent, ToAgent } from './message.ts';
import { Pulse } from './pulse.ts';

/** An agent as its controller sees it. */
export interface RemoteAgentOptions {
  readonly channel: MessageChannel<ToAgent, FromAgent>;
  readonly clock: LoadClock;
  /** Version of the controller's package. */
  readonly version: string;
  readonly joinTimeoutMs: number;
  /** Ends the waiting for it to join. */
  readonly signal?: AbortSignal | undefined;
}

/** Messages about a run. */
export type FromRun = Exclude<FromAgent, { kind: 'join' | 'pong' }>;

const PING_MS = 100;
/** Pings in a row without any answer after which an agent counts as silent: 1.6 s. */
const SILENT_PINGS = 16;
const ROUND_TRIPS = 40;

/** The pings of all agents. */
const PINGS = new Pulse(PING_MS);

/** An agent that has joined: its facts, its clock, whether it still answers, and its messages. */
export class RemoteAgent {
  readonly facts: AgentFacts;
  /** Resolves when the agent is lost, or has left. */
  readonly lost: Promise<AgentLoss['how']>;
  clock: ClockOffset = { offsetNs: 0, errorNs: 0, longestTripNs: 0 };
  isLost = false;
  readonly #options: RemoteAgentOptions;
  readonly #stopPinging: () => void;
  #unanswered = 0;
  #pings = 0;
  #onPong: (atNs: number, number: number) => void = () => undefined;
  #onRun: (message: FromRun) => void = () => undefined;
  #lose: (how: AgentLoss['how']) => void = () => undefined;

  private constructor(facts: AgentFacts, options: RemoteAgentOptions) {
    this.facts = facts;
    this.#options = options;
    this.lost = new Promise((resolve) => {
      this.#lose = (how) => {
        this.isLost = true;
        this.#stopPinging();
        options.channel.close();
        resolve(how);
      };
    });
    void options.channel.ended.then(() => this.#lose('ended'));
    this.#stopPinging = PINGS.add(() => this.#beat());
  }

  /**
   * Waits for an agent to join.
   *
   * @throws FareproofError `AGENT_NOT_JOINED`, `AGENT_VERSION`
   */
  static async join(options: RemoteAgentOptions): Promise<RemoteAgent> {
    const { channel, version, joinTimeoutMs, signal } = options;
    const waiting = new AbortController();
    const giveUp = new Promise<never>((_resolve, reject) => {
      const stop = (): void => reject(notJoined('nobody waits for it any more'));
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop, { once: true, signal: waiting.signal });
    });
    let onMessage: (message: FromAgent) => void = () => undefined;
    const joined = new Promise<AgentFacts>((resolve) => {
      onMessage = (message) => {
        if (message.kind === 'join') resolve(message.facts);
      };
    });
    channel.listen((message) => onMessage(message));
    try {
      const facts = await Promise.race([
        joined,
        giveUp,
        channel.ended.then(() => {
          throw notJoined('its process or connection ended');
        }),
        sleep(joinTimeoutMs, undefined, { signal: waiting.signal }).then(() => {
          throw notJoined(`it did not within ${joinTimeoutMs / 1000} s`);
        }),
      ]);
      if (facts.version !== version) throw otherVersion(facts, version);
      const agent = new RemoteAgent(facts, options);
      onMessage = (message) => agent.#take(message);
      return agent;
    } catch (error) {
      channel.close();
      throw error;
    } finally {
      waiting.abort();
    }
  }

  send(message: ToAgent): void {
    this.#options.channel.send(message);
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
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const sentNs = clock.monotonicNs();
      const number = this.#ping();
      this.#onPong = (agentNs, answered) => {
        if (answered === number) resolve({ sentNs, receivedNs: clock.monotonicNs(), agentNs });
      };
    });
  }

  #ping(): number {
    this.send({ kind: 'ping', number: ++this.#pings });
    return this.#pings;
  }

  /** Counts pings and not time: a controller that got no core reads what came before it judges. */
  #beat(): void {
    if (this.#unanswered++ >= SILENT_PINGS) this.#lose('silent');
    else this.#ping();
  }

  #take(message: FromAgent): void {
    this.#unanswered = 0;
    if (message.kind === 'pong') this.#onPong(message.atNs, message.number);
    else if (message.kind !== 'join') this.#onRun(message);
  }
}

function notJoined(why: string): FareproofError {
  return new FareproofError('AGENT_NOT_JOINED', `An agent was to join, and ${why}.`);
}

function otherVersion({ name, version }: AgentFacts, own: string): FareproofError {
  return new FareproofError(
    'AGENT_VERSION',
    `Agent ${name} runs version ${version}, and this is ${own}: a run needs the same version on every machine.`,
  );
}
