import { connect } from 'node:net';
import { FareproofError } from '../../interface/errors.ts';
import type { LoadClock } from '../clock.ts';
import { type GeneratorHandle, type GeneratorUpdate, tokenUserOf } from '../engine/engine.ts';
import { engineNamed } from '../engine/engines.ts';
import type { TargetAddress } from '../target-address.ts';
import type { MessageChannel } from './channel.ts';
import type { AgentFacts, AgentTask, FromAgent, ToAgent } from './message.ts';

/** Parts that an agent is made of. */
export interface AgentOptions {
  readonly channel: MessageChannel<FromAgent, ToAgent>;
  readonly clock: LoadClock;
  readonly facts: AgentFacts;
  /** As the engine's; see {@link GeneratorHandle}. */
  readonly placement?: 'threads' | 'inline' | undefined;
  /** Targets that this agent may put load on, `host` or `host:port`; any if left out or empty. */
  readonly allowedTargets?: readonly string[] | undefined;
  readonly observer?: AgentObserver | undefined;
}

/** Is told what an agent does. */
export interface AgentObserver {
  /** @param target `host:port` */
  onReady(target: string): void;
  /** A run that was ready is over for this agent. */
  onRunEnd(): void;
  /** Gets the updates of a generator, and as the last one what it reported; optional. */
  onUpdate?(generator: number, update: GeneratorUpdate): void;
}

/** Reasons for which an agent has no controller any more: it let the agent go, or was lost. */
export type ServiceEnd = 'left' | 'ended' | 'silent';

const TICK_MS = 200;
/** Without a message for so many ticks, 4 s, the controller is gone. */
const SILENT_TICKS = 20;
const CONNECT_TIMEOUT_MS = 5000;

/**
 * Runs parts of plans for a controller until the channel ends, or the controller says nothing any
 * more. Access tokens and headers stay in memory, and a run ends with its controller.
 */
export function serveAsAgent(options: AgentOptions): Promise<ServiceEnd> {
  return new Agent(options).over;
}

class Agent {
  readonly over: Promise<ServiceEnd>;
  readonly #options: AgentOptions;
  #run: AgentRun | null = null;
  #silentTicks = 0;
  #end: (how: ServiceEnd) => void = () => undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    const { channel } = options;
    this.over = new Promise((resolve) => {
      const ticker = setInterval(() => this.#tick(), TICK_MS);
      this.#end = (how) => {
        clearInterval(ticker);
        this.#run?.close();
        channel.close();
        resolve(how);
      };
    });
    void channel.ended.then(() => this.#end('ended'));
    channel.listen((message) => this.#take(message));
    channel.send({ kind: 'join', facts: options.facts });
  }

  /** Ticks and not time: a process that was stopped reads what came meanwhile before it judges. */
  #tick(): void {
    if (++this.#silentTicks >= SILENT_TICKS) this.#end('silent');
  }

  #take(message: ToAgent): void {
    this.#silentTicks = 0;
    const { channel, clock } = this.#options;
    switch (message.kind) {
      case 'ping':
        channel.send({ kind: 'pong', number: message.number, atNs: clock.monotonicNs() });
        break;
      case 'prepare':
        this.#run?.close();
        this.#run = new AgentRun(this.#options, message.run, message.task);
        break;
      case 'leave':
        this.#end('left');
        break;
      default:
        if (this.#run?.number === message.run) this.#run.take(message);
    }
  }
}

type OfRun = Exclude<ToAgent, { kind: 'ping' | 'prepare' | 'leave' }>;

/** The part of a plan that an agent runs. */
class AgentRun {
  readonly number: number;
  readonly #channel: AgentOptions['channel'];
  readonly #observer: AgentObserver | undefined;
  readonly #ending = new AbortController();
  #handles: readonly GeneratorHandle[] = [];
  #from = 0;
  #updates = 0;
  #isReady = false;
  #isClosed = false;

  constructor(options: AgentOptions, number: number, task: AgentTask) {
    this.number = number;
    this.#channel = options.channel;
    this.#observer = options.observer;
    void this.#prepare(options, task);
  }

  take(message: OfRun): void {
    const token = tokenUserOf(this.#handles);
    switch (message.kind) {
      case 'start':
        for (const [index] of this.#handles.entries()) void this.#start(index, message.startNs);
        break;
      case 'token':
        token.setToken(message.accessToken);
        break;
      case 'pause':
        void token.pause().then(() => this.#channel.send({ kind: 'paused', run: this.number }));
        break;
      case 'resume':
        token.resume(message.accessToken);
        break;
      case 'end':
        this.#ending.abort();
        break;
      case 'close':
        this.close();
        break;
    }
  }

  close(): void {
    if (this.#isReady && !this.#isClosed) this.#observer?.onRunEnd();
    this.#isClosed = true;
    for (const handle of this.#handles) handle.close();
  }

  async #prepare(options: AgentOptions, task: AgentTask): Promise<void> {
    const { clock, placement, allowedTargets = [] } = options;
    const { engine: name, range, ...run } = task;
    const { address } = run.plan;
    this.#from = range.from;
    try {
      requireAllowed(address, allowedTargets);
      await reach(address);
      const engine = engineNamed(name);
      this.#handles = await engine.prepare({
        ...run,
        clock,
        placement,
        range,
        recordEveryMs: 0,
        onUpdate: (generator, update) => {
          const updateNumber = ++this.#updates;
          const { number: runNumber } = this;
          if (!this.#isClosed) this.#observer?.onUpdate?.(generator, update);
          this.#send({ kind: 'update', run: runNumber, number: updateNumber, generator, update });
        },
      });
      if (this.#isClosed) return this.close();
      this.#isReady = true;
      this.#observer?.onReady(`${address.host}:${address.port}`);
      this.#send({ kind: 'ready', run: this.number });
    } catch (error) {
      this.#fail(error);
    }
  }

  async #start(index: number, startNs: number): Promise<void> {
    const generator = this.#from + index;
    try {
      const report = await this.#handles[index]!.run(startNs, this.#ending.signal);
      if (this.#isClosed) return;
      const { number: run } = this;
      const { record } = report;
      this.#observer?.onUpdate?.(generator, { seconds: record.seconds, waiting: 0, record });
      this.#send({ kind: 'report', run, generator, updates: this.#updates, report });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const { message } = error as Error;
    const code = error instanceof FareproofError ? error.code : 'GENERATOR_FAILED';
    this.#channel.send({ kind: 'failed', run: this.number, code, message });
  }

  #send(message: FromAgent): void {
    if (this.#isClosed) return;
    try {
      this.#channel.send(message);
    } catch (error) {
      this.#fail(error);
    }
  }
}

/** Refuses a target that the owner of this machine did not name. */
function requireAllowed({ host, port }: TargetAddress, allowed: readonly string[]): void {
  const names = [host, `${host}:${port}`].map((name) => name.toLowerCase());
  if (allowed.length === 0 || allowed.some((one) => names.includes(one.toLowerCase()))) return;
  throw new FareproofError(
    'TARGET_NOT_ALLOWED',
    `it may not put load on ${host}:${port}, only on ${allowed.join(', ')}; start it with that target allowed.`,
  );
}

/** Looks whether the target takes connections from here. */
async function reach({ host, port }: TargetAddress): Promise<void> {
  const socket = connect({ host, port });
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => reject(new Error(`no connection in ${CONNECT_TIMEOUT_MS} ms`));
      socket.setTimeout(CONNECT_TIMEOUT_MS, giveUp);
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FareproofError(
      'TARGET_UNREACHABLE',
      `${host}:${port} cannot be reached (${code ?? message}); check that it runs, and that baseUrl is right on the agent's machine too.`,
      { cause: error },
    );
  } finally {
    socket.destroy();
  }
}
