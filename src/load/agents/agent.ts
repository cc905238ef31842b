import { once } from 'node:events';
import { connect } from 'node:net';
import { FareproofError } from '../../interface/errors.ts';
import type { LoadClock } from '../clock.ts';
import type { GeneratorUpdate } from '../engine/engine.ts';
import { engineNamed } from '../engine/engines.ts';
import { ServedGenerators } from '../engine/orders.ts';
import type { TargetAddress } from '../target-address.ts';
import type { AgentFacts, FromAgent, MessageChannel, ToAgent } from './message.ts';

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
  /** The run that it has a part of, by its number. */
  #run = 0;
  #generators: ServedGenerators | null = null;
  #silentTicks = 0;
  #end: (how: ServiceEnd) => void = () => undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    const { channel } = options;
    this.over = new Promise((resolve) => {
      const ticker = setInterval(() => this.#tick(), TICK_MS);
      this.#end = (how) => {
        clearInterval(ticker);
        this.#closeRun();
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
        this.#closeRun();
        this.#run = message.run;
        this.#generators = prepareRun(this.#options, message);
        break;
      case 'leave':
        this.#end('left');
        break;
      default:
        if (message.run !== this.#run) break;
        if (message.kind === 'close') this.#closeRun();
        else this.#generators?.obey(message);
    }
  }

  #closeRun(): void {
    if (this.#generators?.areReady) this.#options.observer?.onRunEnd();
    this.#generators?.close();
  }
}

/** Prepares the part of a plan that an agent runs. */
function prepareRun(
  { channel, clock, placement, allowedTargets = [], observer }: AgentOptions,
  { run, task: { engine, range, ...task } }: Extract<ToAgent, { kind: 'prepare' }>,
): ServedGenerators {
  const { address } = task.plan;
  const generators = new ServedGenerators(range.from, (word) => {
    if (word.kind === 'ready') observer?.onReady(`${address.host}:${address.port}`);
    if (word.kind === 'update') observer?.onUpdate?.(word.generator, word.update);
    if (word.kind === 'report') {
      const { record } = word.report;
      observer?.onUpdate?.(word.generator, { seconds: record.seconds, waiting: 0, record });
    }
    channel.send({ run, ...word });
  });
  const prepare = async (): Promise<void> => {
    requireAllowed(address, allowedTargets);
    await reach(address);
    const handles = await engineNamed(engine).prepare({
      ...task,
      clock,
      placement,
      range,
      recordEveryMs: 0,
      onUpdate: (generator, update) => generators.update(generator, update),
    });
    generators.begin(handles);
  };
  prepare().catch((error: unknown) => generators.fail(error));
  return generators;
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
  const late = new Error(`no connection in ${CONNECT_TIMEOUT_MS} ms`);
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(late));
  try {
    await once(socket, 'connect');
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
